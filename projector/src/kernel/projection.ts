import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModel } from '@tallyhand/read-models/kernel/read-model';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Log } from '@tallyhand/service-kit/log';
import type { Transaction } from 'kysely';

export type Tx = Transaction<ReadModelTables>;

/** Services for projections. */
export type Helpers = {
  /** A person's data in plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
  /** From now on their data reads as `erased`. */
  forget(personIds: readonly string[]): void;
  /** A text that may be kept in the blob store. */
  textOf(organizationId: string, text: StoredText): Promise<string>;
  readonly log: Log;
};

/** What a handler gets besides the event's data. */
export type Surroundings = Helpers & {
  readonly event: StoredEvent;
  /** When it was recorded, ISO 8601. */
  readonly at: string;
};

export type Handler<D> = (tx: Tx, data: D, around: Surroundings) => Promise<unknown>;

/** Event declarations by type; each is called with the event's data. */
export type Kinds = Readonly<Record<string, EventReader & ((data: never) => EventValue)>>;
export type EventOfKinds<K extends Kinds> = ReturnType<K[keyof K]>;

/** One entry for each event type; events that do not matter are named too, as 'ignored'. */
type Handlers<E extends EventValue> = {
  readonly [K in E['type']]: Handler<Extract<E, { type: K }>['data']> | 'ignored';
};

export type Projection = {
  readonly model: ReadModel;
  /** Rows depend on other streams, so no stream can be parked: a failing event stops everything. */
  readonly isWhole?: true;
  /** Applies a batch to the rows; returns the organizations whose rows may have changed. */
  apply(tx: Tx, events: readonly StoredEvent[], helpers: Helpers): Promise<ReadonlySet<string>>;
};

/** A read model, the events that it is computed from, and what each does to its rows. */
export function projection<K extends Kinds>(declaration: {
  readonly model: ReadModel;
  readonly kinds: K;
  readonly on: Handlers<EventOfKinds<K>>;
}): Projection {
  const { kinds }: { readonly kinds: Kinds } = declaration;
  const handlers = declaration.on as Readonly<Record<string, Handler<unknown> | 'ignored'>>;
  return {
    model: declaration.model,
    async apply(tx, events, helpers) {
      const touched = new Set<string>();
      for (const event of events) {
        const handler = handlers[event.type];
        const kind = kinds[event.type];
        if (!handler || handler === 'ignored' || !kind) continue;
        const { organizationId, recordedAt: at, schemaVersion } = event.envelope;
        await handler(tx, kind.read(event.data, schemaVersion), { ...helpers, event, at });
        if (organizationId) touched.add(organizationId);
      }
      return touched;
    },
  };
}

/** An event, checked against its declaration, and as it is stored. */
export type Happened<E extends EventValue> = { readonly stored: StoredEvent; readonly event: E };

/**
 * A projection that handles the events of a batch together, with fewer, larger statements. `apply`
 * names each event type in a switch without default.
 */
export function batchProjection<K extends Kinds>(declaration: {
  readonly model: ReadModel;
  readonly kinds: K;
  /** Returns the organizations whose rows may have changed. */
  readonly apply: (
    tx: Tx,
    happened: readonly Happened<EventOfKinds<K>>[],
    helpers: Helpers,
  ) => Promise<ReadonlySet<string>>;
}): Projection {
  const { kinds }: { readonly kinds: Kinds } = declaration;
  return {
    model: declaration.model,
    async apply(tx, events, helpers) {
      const happened = events.flatMap((stored) => {
        const kind = kinds[stored.type];
        if (!kind) return [];
        const data = kind.read(stored.data, stored.envelope.schemaVersion);
        return [{ stored, event: { type: stored.type, data } as EventOfKinds<K> }];
      });
      return happened.length === 0 ? new Set() : declaration.apply(tx, happened, helpers);
    },
  };
}
