import { NotDeleted } from '@tallyhand/contracts/kernel/change-refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { Decider } from './decider.ts';

/** An object that members write and change: each change is a version, a deletion can be undone. */
export type Kept<F extends object> = {
  readonly id: string;
  readonly organizationId: string;
  /** 1 at creation; grows by one with each change. */
  readonly version: number;
  readonly fields: F;
  readonly isDeleted: boolean;
  readonly createdAt: string;
};

type Own = { readonly organizationId: string };

export type KeptCommand<F extends object> =
  | EventValue<'Create', Own & { readonly id: string; readonly fields: F }>
  | EventValue<'Change', Own & { readonly change: Partial<F> }>
  | EventValue<'Delete', Own>
  /** `older`: what a version held that becomes the newest. */
  | EventValue<
      'Restore',
      Own & { readonly older?: { readonly version: number; readonly fields: F } }
    >;

/** `C`: commands of the kind's own, beside those of every kept object. */
export type KeptDecider<
  F extends object,
  E extends EventValue,
  C extends EventValue = never,
> = Decider<Kept<F> | null, KeptCommand<F> | C, E> & { readonly what: string };

type Kind = { readonly type: string; readonly schema: { parse(data: unknown): unknown } };

/**
 * The rules of a kind of kept object. Its events hold the object's id under `idName`, the
 * organization's, the version, and its fields: `changed` those that changed only.
 */
export function keptDecider<F extends object, E extends EventValue>(kind: {
  readonly category: string;
  readonly idName: string;
  readonly events: Readonly<Record<'created' | 'changed' | 'deleted' | 'restored', Kind>>;
  readonly cachedMax?: number;
  /** Fields that stay as they are when an older version comes back. */
  readonly notRestored?: readonly (keyof F & string)[];
}): KeptDecider<F, E> {
  const { category, idName, events, cachedMax, notRestored = [] } = kind;
  const kinds = Object.fromEntries(Object.values(events).map((each) => [each.type, each]));
  const make = (event: Kind, object: { id: string; organizationId: string }, data: object = {}) =>
    ({
      type: event.type,
      data: { [idName]: object.id, organizationId: object.organizationId, ...data },
    }) as unknown as E;

  function change(object: Kept<F>, wanted: Partial<F>, restoredFrom?: number): E[] {
    const changed = Object.entries(wanted).filter(
      ([name, value]) =>
        !same(value, object.fields[name as keyof F]) &&
        !(restoredFrom !== undefined && notRestored.some((kept) => kept === name)),
    );
    if (changed.length === 0) return [];
    const from = restoredFrom === undefined ? {} : { restoredFrom };
    const version = object.version + 1;
    return [make(events.changed, object, { version, ...Object.fromEntries(changed), ...from })];
  }

  function restore(object: Kept<F>, older?: { version: number; fields: F }) {
    if (!object.isDeleted && !older) return NotDeleted({ what: category });
    return [
      ...(object.isDeleted ? [make(events.restored, object)] : []),
      ...(older && older.version !== object.version
        ? change(object, older.fields, older.version)
        : []),
    ];
  }

  return {
    what: category,
    category,
    kinds: kinds as unknown as KeptDecider<F, E>['kinds'],
    begunBy: 'Create',
    refusedOnceDone: ['Delete', 'Restore'],
    ...(cachedMax === undefined ? {} : { cachedMax }),
    initialState: () => null,
    decide({ type, data }, object) {
      if (type === 'Create') {
        return object ? [] : [make(events.created, data, { version: 1, ...data.fields })];
      }
      if (object?.organizationId !== data.organizationId) return NotFound({ what: category });
      if (type === 'Restore') return restore(object, data.older);
      if (object.isDeleted) return NotFound({ what: category });
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
        const own = { id, organizationId, version, fields, isDeleted: false, createdAt: at };
        return own as Kept<F>;
      }
      if (!object) return null;
      if (event.type === events.deleted.type) return { ...object, isDeleted: true };
      if (event.type === events.restored.type) return { ...object, isDeleted: false };
      return { ...object, version: version as number, fields: { ...object.fields, ...fields } };
    },
  };
}

const same = (a: unknown, b: unknown) => canonicalJson(a ?? null) === canonicalJson(b ?? null);
