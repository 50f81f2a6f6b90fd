import {
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { LedgerEntriesTable } from '@tallyhand/read-models/features/credits/credits.tables';
import { ledgerEntriesModel } from '@tallyhand/read-models/features/credits/credits.tables';
import { sql } from 'kysely';
import { projection, type Surroundings, type Tx } from '../../kernel/projection.ts';

/** The ledger as a statement: one row for each event, with what could be spent after it. */
export const ledgerEntriesProjection = projection<LedgerEvent>({
  model: ledgerEntriesModel,
  kinds: ledgerEvents,
  on: {
    CreditsGranted: (tx, data, around) =>
      enter(tx, around, data, { kind: 'granted', available: data.amount, posted: data.amount }),
    CreditsReserved: (tx, data, around) =>
      enter(tx, around, data, { kind: 'reserved', available: -data.amount, posted: 0 }),
    CreditsCharged: async (tx, data, around) =>
      enter(
        tx,
        around,
        { ...(await reservationOf(tx, data)), ...data },
        { kind: 'charged', available: 0, posted: -data.amount },
      ),
    ReservationReleased: async (tx, data, around) =>
      enter(
        tx,
        around,
        { ...(await reservationOf(tx, data)), ...data },
        { kind: 'released', available: data.amount, posted: 0 },
      ),
  },
});

type Movement = { kind: string; available: number; posted: number };

type Entry = {
  organizationId: string;
  amount: number;
  prev: string;
  hash: string;
  reason?: string;
  price?: number | null;
  reservationId?: string;
  work?: { kind: string; id: string };
  agentId?: string | null;
  memberId?: string | null;
};

/** Who and what for stand in the reservation; the entry that ends it shows them again. */
async function reservationOf(tx: Tx, data: { organizationId: string; reservationId: string }) {
  const row = await tx
    .selectFrom('ledger_entries')
    .select(['agent_id as agentId', 'member_id as memberId', 'price'])
    .where('organization_id', '=', data.organizationId)
    .where('reservation_id', '=', data.reservationId)
    .where('kind', '=', 'reserved')
    .executeTakeFirst();
  return row ?? {};
}

function enter(tx: Tx, { event, at }: Surroundings, entry: Entry, movement: Movement) {
  const sequence = Number(event.revision) + 1;
  const row: Omit<LedgerEntriesTable, 'available'> = {
    organization_id: entry.organizationId,
    sequence,
    entry_id: event.id,
    kind: movement.kind,
    available_change: movement.available,
    posted_change: movement.posted,
    amount: entry.amount,
    price: entry.price ?? null,
    reason: entry.reason ?? null,
    reservation_id: entry.reservationId ?? null,
    work_kind: entry.work?.kind ?? null,
    work_id: entry.work?.id ?? null,
    agent_id: entry.agentId ?? null,
    member_id: entry.memberId ?? null,
    prev: entry.prev,
    hash: entry.hash,
    at,
  };
  const before = sql<number>`coalesce((select l.available from read_model.ledger_entries l
    where l.organization_id = ${entry.organizationId} and l.sequence = ${sequence - 1}), 0)`;
  return tx
    .insertInto('ledger_entries')
    .values({ ...row, available: sql<number>`${before} + ${movement.available}::bigint` })
    .execute();
}
