import { z } from 'zod';
import type { Access } from './access.ts';
import { AsOf, AsOfQuery } from './as-of.ts';
import { HistoryEntry, RestoreInput } from './changes.ts';
import { type DeepReadonly, endpoint } from './endpoint.ts';
import { Id } from './ids.ts';
import { FoundObjects, Page, SearchText } from './lists.ts';
import { event, type Upcast } from './messages.ts';
import { type DeclaredRefusal, refusal } from './refusal.ts';

/*
 * A versioned object is one that members write and change: each change is a version, a deletion can
 * be undone, and every version can be read and restored. Agents, articles, playbooks and tools are.
 */

export const NotDeleted = refusal(
  'not-deleted',
  409,
  'Not deleted',
  (p: { what: string }) => `This ${p.what} is not deleted, so there is nothing to restore.`,
);
export const NoSuchVersion = refusal(
  'no-such-version',
  404,
  'No such version',
  (p: { what: string; version: number }) => `This ${p.what} has no version ${p.version}.`,
);

/** `If-Match` names another state than the present one. */
export const VersionChanged = refusal(
  'version-changed',
  412,
  'Changed in the meantime',
  (p: { what: string; version: number; etag: string }) =>
    `This ${p.what} was changed in the meantime. Its version is now ${p.version}.`,
);

type Own<Noun extends string> = Record<`${Uncapitalize<Noun>}Id` | 'organizationId', typeof Id>;

/**
 * The four events that every kind has. `version` is 1 at creation and grows by one with each change;
 * a change holds the changed fields only, and `restoredFrom` if it brings an older version back.
 */
export function versionedEvents<const Noun extends string, Fields extends z.ZodRawShape>(
  noun: Noun,
  fields: Fields,
  upcasts?: readonly Upcast[],
) {
  const idName = `${uncapitalized(noun)}Id`;
  const own = { [idName]: Id, organizationId: Id } as Own<Noun>;
  const version = { version: z.int() };
  const restoredFrom = { restoredFrom: z.int().optional() };
  const changes = z.object(fields).partial().shape;
  return {
    own,
    created: event(`${noun}Created`, { ...own, ...version, ...fields }, upcasts),
    changed: event(`${noun}Changed`, { ...own, ...version, ...changes, ...restoredFrom }, upcasts),
    deleted: event(`${noun}Deleted`, own),
    restored: event(`${noun}Restored`, own),
  };
}

type Written<Body extends z.ZodType> = {
  readonly description: string;
  readonly body: Body;
  readonly example: z.input<Body>;
};

const RESTORE = 'Undoes a deletion. With `version`, makes that version the newest one.';

/** The seven calls that every kind has: `listAgents`, `getAgent`, `createAgent` and so on. */
/* @__NO_SIDE_EFFECTS__ */
export function versionedCalls<
  View extends z.ZodType,
  Input extends z.ZodType,
  Change extends z.ZodType,
  Filters extends z.ZodRawShape,
>(kind: {
  readonly noun: string;
  readonly feature: string;
  readonly path: string;
  readonly answer: View;
  readonly answerExample: DeepReadonly<z.output<View>>;
  /** What the filter `q` of the list searches. */
  readonly searched: string;
  /** Further filters of the list. */
  readonly filters: Filters;
  /** Who may list and read it, now, as it was, and its history. */
  readonly readers: Access<false>;
  /** Who may create, delete and restore, and change unless `change` says otherwise. */
  readonly editors: Access<false>;
  readonly create: Written<Input>;
  readonly change: Written<Change> & { readonly access?: Access<false> };
  /** What follows from a deletion, as a sentence. */
  readonly deleteNote: string;
  /** What restoring does besides, as a sentence. */
  readonly restoreNote?: string;
  /** Why a version is not written, besides what all kinds refuse. */
  readonly refusals?: readonly DeclaredRefusal[];
}) {
  const { noun, feature, answer, answerExample, readers, editors, refusals = [] } = kind;
  const word = uncapitalized(noun);
  const one = `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
  const params = z.strictObject({ id: Id });
  const all = { feature, path: kind.path };
  const each = { feature, path: `${kind.path}/{id}`, params };
  return {
    list: endpoint({
      ...all,
      name: `list${noun}s`,
      method: 'GET',
      access: readers,
      summary: `List ${word}s`,
      description: `Returns the ${word}s of the organization, newest first unless \`sort\` says otherwise. With \`asOf\`, as they were then; then only \`limit\` and \`cursor\` may be given.`,
      query: Page.extend({
        asOf: AsOf,
        q: SearchText(kind.searched),
        ...FoundObjects,
        ...kind.filters,
      }),
      status: 200,
      answer: z.array(answer),
      answerExample: [answerExample],
    }),
    get: endpoint({
      ...each,
      name: `get${noun}`,
      method: 'GET',
      access: readers,
      summary: `Retrieve ${one}`,
      description: `Returns one ${word}. With \`asOf\`, as it was then.`,
      query: AsOfQuery,
      status: 200,
      answer,
      answerExample,
      hasEtag: true,
    }),
    create: endpoint({
      ...all,
      name: `create${noun}`,
      method: 'POST',
      access: editors,
      summary: `Create ${one}`,
      ...kind.create,
      status: 201,
      answer,
      answerExample,
      hasEtag: true,
      refusals,
    }),
    change: endpoint({
      ...each,
      name: `change${noun}`,
      method: 'PUT',
      access: editors,
      summary: `Update ${one}`,
      ...kind.change,
      status: 200,
      answer,
      answerExample,
      hasEtag: true,
      takesIfMatch: true,
      refusals,
    }),
    remove: endpoint({
      ...each,
      name: `delete${noun}`,
      method: 'DELETE',
      access: editors,
      summary: `Delete ${one}`,
      description: `${kind.deleteNote} The deletion can be restored.`,
      status: 204,
      takesIfMatch: true,
    }),
    restore: endpoint({
      ...each,
      name: `restore${noun}`,
      method: 'POST',
      path: `${kind.path}/{id}/restore`,
      access: editors,
      summary: `Restore ${one}`,
      description: `${RESTORE} ${kind.restoreNote ?? ''}`.trim(),
      body: RestoreInput,
      example: { version: 1 },
      status: 200,
      answer,
      answerExample,
      hasEtag: true,
      takesIfMatch: true,
      refusals: [NotDeleted, NoSuchVersion, ...refusals],
    }),
    history: endpoint({
      ...each,
      name: `get${noun}History`,
      method: 'GET',
      path: `${kind.path}/{id}/history`,
      access: readers,
      summary: `List changes of ${one}`,
      description: `Returns who changed the ${word}, when and what, newest first.`,
      query: Page,
      status: 200,
      answer: z.array(HistoryEntry),
      answerExample: [
        {
          id: '0193a1b2-0000-7000-8000-000000000001',
          sequence: 46,
          version: 1,
          kind: 'created',
          restoredFrom: null,
          actor: { id: '0193a1b2-0000-7000-8000-000000000002', name: 'Ada Lovelace' },
          changes: [
            { after: 'Orders', field: 'name', before: null },
            { after: 'Looks orders up in the shop', field: 'description', before: null },
          ],
          createdAt: '2027-01-31T09:30:00.000Z',
        },
      ],
    }),
  };
}

export type VersionedCalls<
  View extends z.ZodType,
  Input extends z.ZodType,
  Change extends z.ZodType,
> = ReturnType<typeof versionedCalls<View, Input, Change, z.ZodRawShape>>;

const uncapitalized = <Text extends string>(text: Text) =>
  (text.charAt(0).toLowerCase() + text.slice(1)) as Uncapitalize<Text>;
