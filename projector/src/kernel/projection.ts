import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModel } from '@tallyhand/read-models/kernel/read-model';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Log } from '@tallyhand/service-kit/log';
import type { Transaction } from 'kysely';

export type Tx = Transaction<ReadModelTables>;

/** What a projection may need besides events. */
export type Helpers = {
  /** A person's data in plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
  /** What is read of these from now on is `erased`. */
  forget(personIds: readonly string[]): void;
  /** A text that may be kept in the blob store. */
  textOf(organizationId: string, text: StoredText): Promise<string>;
  readonly log: Log;
};

/** What a projection may need besides the event's data. */
export type Surroundings = Helpers & {
  readonly event: StoredEvent;
  /** When it was recorded, ISO 8601. */
  readonly at: string;
};

export type Handler<D> = (tx: Tx, data: D, around: Surroundings) => Promise<unknown>;

/** One entry for each event type; what does not matter is named too, as 'ignored'. */
export type Handlers<E extends EventValue> = {
  readonly [K in E['type']]: Handler<Extract<E, { type: K }>['data']> | 'ignored';
};

export type Projection = {
  readonly model: ReadModel;
  /**
   * Its rows depend on those of other streams, so no stream may be left aside: where an event fails,
   * all waits until it does not.
   */
  readonly isWhole?: true;
  /** Writes what a batch means to its rows; gives the organizations whose rows may have changed. */
  apply(tx: Tx, events: readonly StoredEvent[], helpers: Helpers): Promise<ReadonlySet<string>>;
};

/** A projection is a value: a read model, the events it comes from, and what each does to its rows. */
export function projection<E extends EventValue>(declaration: {
  readonly model: ReadModel;
  readonly kinds: Readonly<Record<E['type'], EventReader>>;
  readonly on: Handlers<E>;
}): Projection {
  const kinds = declaration.kinds as Readonly<Record<string, EventReader>>;
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

/** An event with its data checked against its declaration, beside it as it is stored. */
export type Happened<E extends EventValue> = { readonly stored: StoredEvent; readonly event: E };

/**
 * A projection that takes the events of a batch together: fewer, larger statements where rows are
 * many. `apply` names each event type in a switch without default.
 */
export function batchProjection<E extends EventValue>(declaration: {
  readonly model: ReadModel;
  readonly kinds: Readonly<Record<E['type'], EventReader>>;
  /** Gives the organizations whose rows may have changed. */
  readonly apply: (
    tx: Tx,
    happened: readonly Happened<E>[],
    helpers: Helpers,
  ) => Promise<ReadonlySet<string>>;
}): Projection {
  const kinds = declaration.kinds as Readonly<Record<string, EventReader>>;
  return {
    model: declaration.model,
    async apply(tx, events, helpers) {
      const happened = events.flatMap((stored) => {
        const kind = kinds[stored.type];
        if (!kind) return [];
        const data = kind.read(stored.data, stored.envelope.schemaVersion);
        return [{ stored, event: { type: stored.type, data } as E }];
      });
      return happened.length === 0 ? new Set() : declaration.apply(tx, happened, helpers);
    },
  };
}
