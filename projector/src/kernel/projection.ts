import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModelTables } from '@tallyhand/read-models/database';
import type { ReadModel } from '@tallyhand/read-models/kernel/read-model';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Transaction } from 'kysely';

export type Tx = Transaction<ReadModelTables>;

/** What a projection may need besides the event's data. */
export type Surroundings = {
  readonly event: StoredEvent;
  /** When it was recorded, ISO 8601. */
  readonly at: string;
  /** A person's data in plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
  /** A text that may be kept in the blob store. */
  textOf(organizationId: string, text: StoredText): Promise<string>;
};

export type Handler<D> = (tx: Tx, data: D, around: Surroundings) => Promise<unknown>;

/** One entry for each event type; what does not matter is named too, as 'ignored'. */
export type Handlers<E extends EventValue> = {
  readonly [K in E['type']]: Handler<Extract<E, { type: K }>['data']> | 'ignored';
};

export type Projection = {
  readonly model: ReadModel;
  /** True when the event was of its kinds. */
  apply(tx: Tx, event: StoredEvent, around: Surroundings): Promise<boolean>;
};

type Kind = { readonly schema: { parse(data: unknown): unknown } };

/** A projection is a value: a read model, the events it comes from, and what each does to its rows. */
export function projection<E extends EventValue>(declaration: {
  readonly model: ReadModel;
  readonly kinds: Readonly<Record<E['type'], Kind>>;
  readonly on: Handlers<E>;
}): Projection {
  const kinds = declaration.kinds as Readonly<Record<string, Kind>>;
  const handlers = declaration.on as Readonly<Record<string, Handler<unknown> | 'ignored'>>;
  return {
    model: declaration.model,
    async apply(tx, event, around) {
      const handler = handlers[event.type];
      const kind = kinds[event.type];
      if (!handler || handler === 'ignored' || !kind) return false;
      await handler(tx, kind.schema.parse(event.data), around);
      return true;
    },
  };
}
