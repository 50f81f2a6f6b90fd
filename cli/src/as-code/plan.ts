import { isDeepStrictEqual } from 'node:util';
import {
  type BoundTool,
  bindingOf,
  differingParts,
} from '@tallyhand/contracts/features/tools/tool-binding';
import { ASSIGNED, type Fields, type Item, type Kind, kindOf } from './kinds.ts';
import { inOrder, type Present, type PresentItem } from './present.ts';
import { type Fault, openapiOf, parsedOpenapi, type ReadFile } from './yaml-file.ts';

/** One thing that `apply` does. */
export type Change =
  | { readonly action: 'create'; readonly file: string; readonly item: Item }
  | {
      readonly action: 'update';
      readonly file: string;
      readonly item: Item;
      readonly present: PresentItem;
      /** The fields that differ; they alone are sent. */
      readonly fields: readonly string[];
      readonly isReassigned: boolean;
      /** Of a tool: they are deleted because they would be sent elsewhere. */
      readonly droppedCredentials: readonly string[];
    }
  | { readonly action: 'delete'; readonly item: PresentItem };

export type Plan = {
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** What no file describes. It is deleted with `--prune`. */
  readonly extra: readonly PresentItem[];
};

/** What makes Tallyhand as the files say, in the order in which it can be done. */
export function planOf(files: readonly ReadFile[], present: Present, prune: boolean): Plan {
  const described = new Set(files.map(({ item }) => keyOf(item)));
  const changes = files.flatMap(({ file, item }) => {
    const found = present.named(item.kind, item.name);
    return changeOf(file, item, found);
  });
  const extra = present.items.filter((one) => !described.has(keyOf(one)));
  const deletions = inOrder(extra)
    .reverse()
    .map((item) => ({ action: 'delete', item }) as const);
  const ordered = changes.toSorted((one, other) => rank(one.item.kind) - rank(other.item.kind));
  return {
    // What an agent uses is deleted last.
    changes: prune ? [...ordered, ...deletions] : ordered,
    unchanged: files.length - changes.length,
    extra,
  };
}

const keyOf = ({ kind, name }: { readonly kind: Kind; readonly name: string }) => `${kind} ${name}`;
const rank = (kind: Kind) => (kind === 'agent' ? 1 : 0);

function changeOf(file: string, item: Item, present: PresentItem | undefined): Change[] {
  if (!present) return [{ action: 'create', file, item }];
  const fields = Object.keys(item.fields).filter((name) => !isSame(name, item, present));
  const isReassigned = !isDeepStrictEqual(item.assigned, present.assigned);
  if (fields.length === 0 && !isReassigned) return [];
  const droppedCredentials = droppedBy(item, present);
  return [{ action: 'update', file, item, present, fields, isReassigned, droppedCredentials }];
}

function isSame(name: string, item: Item, present: PresentItem): boolean {
  return isDeepStrictEqual(comparable(name, item.fields), comparable(name, present.fields));
}

/** Parts that are absent or undefined are the same; so is a document with other spaces. */
function comparable(name: string, fields: Fields): unknown {
  const value = fields[name];
  if (name !== 'config') return value;
  const openapi = openapiOf(fields);
  const config = { ...(value as Fields), openapi: openapi ? parsedOpenapi(openapi) : undefined };
  return JSON.parse(JSON.stringify(config));
}

function droppedBy(item: Item, present: PresentItem): readonly string[] {
  if (item.kind !== 'tool' || present.credentials.length === 0) return [];
  const [next, last] = [item, present].map(({ fields }) => bindingOf(fields as BoundTool));
  const isMoved = differingParts(next ?? {}, last ?? {}).length > 0;
  return isMoved ? present.credentials : [];
}

/** Names that agents use and that exist nowhere, or will not exist when all is done. */
export function unknownNames(
  files: readonly ReadFile[],
  present: Present,
  prune: boolean,
): Fault[] {
  return files.flatMap(({ file, item, lineOf }) => {
    const { assigned } = item;
    if (!assigned) return [];
    return ASSIGNED.flatMap((field) =>
      assigned[field].flatMap((name) => {
        const kind = kindOf(field);
        const isDescribed = files.some(({ item: other }) => keyOf(other) === keyOf({ kind, name }));
        if (isDescribed) return [];
        const isThere = present.named(kind, name) !== undefined;
        if (isThere && !prune) return [];
        const why = isThere ? 'would be deleted, because no file describes it' : 'does not exist';
        return [{ file, line: lineOf(field), message: `${field}: the ${kind} "${name}" ${why}` }];
      }),
    );
  });
}
