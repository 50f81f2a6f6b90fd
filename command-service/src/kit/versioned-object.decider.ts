import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Refusal, RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { NotDeleted, VersionChanged } from '@tallyhand/contracts/kernel/versioned-object';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { Decider, StreamPolicy } from './stream-policy.ts';

/** An object that members write and change: each change is a version, a deletion can be undone. */
export type Versioned<F extends object> = {
  readonly id: string;
  readonly organizationId: string;
  /** 1 at creation; grows by one with each change. */
  readonly version: number;
  readonly fields: F;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
};

type Own = {
  readonly organizationId: string;
  /** The entity tags of the states that the command may change; absent for any. */
  readonly ifMatch?: readonly string[] | undefined;
  /** Of the member, for kinds in which not every editor may make every change. */
  readonly role?: Role | undefined;
};

export type VersionedCommand<F extends object> =
  | EventValue<'Create', Own & { readonly id: string; readonly fields: F }>
  | EventValue<'Change', Own & { readonly change: Partial<F> }>
  | EventValue<'Delete', Own>
  /** `older`: the fields of an older version, which become the newest. */
  | EventValue<
      'Restore',
      Own & { readonly older?: { readonly version: number; readonly fields: F } }
    >;

type VersionedRefusal = RefusalOf<typeof NotFound | typeof NotDeleted | typeof VersionChanged>;

/** `C`: commands of the kind's own, in addition to those of every versioned object. */
export type VersionedDecider<
  F extends object,
  E extends EventValue,
  C extends EventValue = never,
  R extends Refusal = never,
> = Decider<Versioned<F> | null, VersionedCommand<F> | C, E, VersionedRefusal | R>;

export type VersionedStream<
  F extends object,
  E extends EventValue,
  C extends EventValue = never,
  R extends Refusal = never,
> = StreamPolicy<Versioned<F> | null, VersionedCommand<F> | C, E, VersionedRefusal | R>;

/**
 * The rules of a kind of versioned object. Its events hold the object's id as `{noun}Id`, the
 * organization's id, the version, and the fields; a change holds the changed fields only.
 */
export function versionedDecider<F extends object, E extends EventValue>(
  noun: string,
  events: Readonly<Record<'created' | 'changed' | 'deleted' | 'restored', { type: E['type'] }>>,
  /** Fields that do not change when an older version is restored. */
  notRestored: readonly (keyof F & string)[] = [],
): VersionedDecider<F, E> {
  const idName = `${noun}Id`;
  const make = (
    { type }: { readonly type: string },
    object: { readonly id: string; readonly organizationId: string },
    data: object = {},
  ) =>
    ({
      type,
      data: { [idName]: object.id, organizationId: object.organizationId, ...data },
    }) as unknown as E;

  function change(object: Versioned<F>, wanted: Partial<F>, restoredFrom?: number): E[] {
    const changed = Object.entries(wanted).filter(
      ([name, value]) =>
        !isSame(value, object.fields[name as keyof F]) &&
        !(restoredFrom !== undefined && notRestored.some((kept) => kept === name)),
    );
    if (changed.length === 0) return [];
    const from = restoredFrom === undefined ? {} : { restoredFrom };
    const version = object.version + 1;
    return [make(events.changed, object, { version, ...Object.fromEntries(changed), ...from })];
  }

  function restore(object: Versioned<F>, older?: { version: number; fields: F }) {
    if (!object.isDeleted && !older) return NotDeleted({ what: noun });
    const restored = object.isDeleted ? [make(events.restored, object)] : [];
    if (!older || older.version === object.version) return restored;
    return [...restored, ...change(object, older.fields, older.version)];
  }

  return {
    initialState: () => null,
    decide({ type, data }, object) {
      if (type === 'Create') {
        return object ? [] : [make(events.created, data, { version: 1, ...data.fields })];
      }
      if (object?.organizationId !== data.organizationId) return NotFound({ what: noun });
      if (object.isDeleted && type !== 'Restore') return NotFound({ what: noun });
      const { version } = object;
      const etag = entityTag({ ...object.fields, version });
      if (data.ifMatch && !data.ifMatch.includes(etag)) {
        return VersionChanged({ what: noun, version, etag });
      }
      if (type === 'Restore') return restore(object, data.older);
      return type === 'Change' ? change(object, data.change) : [make(events.deleted, object)];
    },
    evolve(object, event, at) {
      const {
        [idName]: id,
        organizationId,
        version,
        restoredFrom: _,
        ...fields
      } = event.data as Record<string, unknown>;
      if (event.type === events.created.type) {
        const times = { createdAt: at, updatedAt: at };
        return { id, organizationId, version, fields, isDeleted: false, ...times } as Versioned<F>;
      }
      if (!object) return null;
      const changed = { ...object, updatedAt: at };
      if (event.type === events.deleted.type) return { ...changed, isDeleted: true };
      if (event.type === events.restored.type) return { ...changed, isDeleted: false };
      return { ...changed, version: version as number, fields: { ...object.fields, ...fields } };
    },
  };
}

const GENERAL = new Set<string>(['Create', 'Change', 'Delete', 'Restore']);

export function versionedStream<
  F extends object,
  E extends EventValue,
  C extends EventValue,
  R extends Refusal = never,
>(
  noun: string,
  decider: VersionedDecider<F, E, C, R>,
  events: Readonly<Record<E['type'], EventReader>>,
  cachedMax?: number,
): VersionedStream<F, E, C, R> {
  const policy: StreamPolicy<unknown, VersionedCommand<F>, E, VersionedRefusal> = {
    category: noun,
    decider: decider as unknown as Decider<unknown, VersionedCommand<F>, E, VersionedRefusal>,
    events,
    // `CreateAgent`, as commands of other streams are called.
    nameOf: ({ type }) =>
      GENERAL.has(type) ? `${type}${noun.charAt(0).toUpperCase()}${noun.slice(1)}` : type,
    begunBy: 'Create',
    refusedOnceDone: ['Change', 'Delete', 'Restore'],
    ...(cachedMax === undefined ? {} : { cachedMax }),
  };
  return policy as unknown as VersionedStream<F, E, C, R>;
}

/**
 * The object that the organization sees: null for another organization's object, or a deleted one.
 */
export const presentIn = <F extends object>(object: Versioned<F> | null, organizationId: string) =>
  object?.organizationId === organizationId && !object.isDeleted ? object : null;

const isSame = (a: unknown, b: unknown) => canonicalJson(a ?? null) === canonicalJson(b ?? null);
