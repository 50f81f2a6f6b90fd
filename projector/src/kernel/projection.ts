import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModel } from '@tallyhand/read-models/kernel/read-model';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import type { OpenedText, PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { EventLog, StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Log } from '@tallyhand/service-kit/log';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';

export type Tx = Transaction<ReadModelTables>;

/** Adds a statement that is sent together with the commit, after all others. */
export type AtEnd = (statement: RawBuilder<unknown>) => void;

/** Runs `work` in a transaction. */
export type Transact = <T>(work: (tx: Tx, atEnd: AtEnd) => Promise<T>) => Promise<T>;

/** Services for projections. */
export type Helpers = {
  /** A person's data with the key that proves it; null if the person was erased. */
  open(personId: string, text: Ciphertext): Promise<OpenedText | null>;
  /** A person's data in plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
  /** From now on their data reads as `erased`. */
  forget(personIds: readonly string[]): void;
  /** A text, loaded from the blob store if it is there. */
  textOf(organizationId: string, text: StoredText): Promise<string>;
  readonly log: Log;
};

/** What a handler gets besides the event's data. */
export type Surroundings = Helpers & {
  readonly event: StoredEvent;
  /** When it was recorded, ISO 8601. */
  readonly at: string;
};

type Handler<D> = (tx: Tx, data: D, around: Surroundings) => Promise<unknown>;

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

/**
 * The dependencies of the projector. The pool behind `db` and `transact` has at least eight
 * connections.
 */
export type ProjectorContext = {
  readonly db: Kysely<ReadModelTables>;
  readonly transact: Transact;
  readonly eventLog: EventLog;
  readonly personKeys: PersonKeys;
  readonly log: Log;
  readonly projections: readonly Projection[];
};

export const helpersOf = (tx: Tx, { personKeys, log }: ProjectorContext): Helpers => ({
  log,
  open: personKeys.open,
  reveal: personKeys.reveal,
  forget: personKeys.forget,
  textOf: (organizationId, text) => textOf(tx, organizationId, text),
});

async function textOf(tx: Tx, organizationId: string, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  const { rows } = await sql<{ content: Buffer }>`
    select content from operational.blobs
    where organization_id = ${organizationId} and hash = ${text.hash}
  `.execute(tx);
  const content = rows[0]?.content;
  if (!content) throw new Error(`Blob ${text.hash} is missing`);
  return content.toString('utf8');
}
