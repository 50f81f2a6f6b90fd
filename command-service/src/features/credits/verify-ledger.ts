import type { Verification } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Position, START } from '@tallyhand/service-kit/event-store/position';
import { errorFields } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Job, PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import type { JobQueue } from '../../kit/jobs.ts';
import { decodeEvent } from '../../kit/stored-states.ts';
import { ledgerDecider } from './ledger.decider.ts';
import { availableIn, type Ledger } from './ledger-state.ts';

/** A ledger of some millions of entries is read well within this time. */
export const VERIFY_QUEUE: JobQueue = {
  name: 'verify-ledger',
  secondsMax: 1_800,
  policy: 'exclusive',
};

const READ_MODELS_WAIT_MS = 30_000;

type VerifyJob = { readonly organizationId: string };

/** What the stored events of a ledger come to. */
type Checked = {
  readonly entries: number;
  readonly head: string;
  /** The first entry that is altered, missing or out of order. */
  readonly brokenAt: number | null;
  readonly ledger: Ledger;
  readonly position: Position;
};

type Balances = {
  readonly readModel: number;
  readonly trialBalance: number;
  readonly debits: number;
  readonly credits: number;
};

const NOT_CHECKED: Omit<Verification, 'status' | 'startedAt'> = {
  finishedAt: null,
  entries: 0,
  head: null,
  brokenAt: null,
  available: null,
  debits: null,
  credits: null,
};

/** Has the worker check a ledger; of an organization's checks one at a time is asked for. */
export async function requestVerification(kit: Kit, boss: PgBoss, organizationId: string) {
  const startedAt = new Date().toISOString();
  await keep(kit, organizationId, { ...NOT_CHECKED, status: 'running', startedAt });
  const job: VerifyJob = { organizationId };
  await boss.send(VERIFY_QUEUE.name, job, { singletonKey: organizationId });
}

export async function workOnVerifications(boss: PgBoss, kit: Kit): Promise<void> {
  await boss.work(VERIFY_QUEUE.name, async ([job]: Job<VerifyJob>[]) => {
    if (job) await runVerification(kit, job.data.organizationId);
  });
}

async function runVerification(kit: Kit, organizationId: string) {
  const startedAt = new Date().toISOString();
  try {
    const result = await verifyLedger(kit, organizationId);
    await keep(kit, organizationId, { ...result, startedAt });
    if (result.status === 'failed') {
      kit.log.error('a ledger failed its verification', { organizationId, ...result });
    }
  } catch (error) {
    kit.log.error('a ledger was not verified', { organizationId, ...errorFields(error) });
    throw error;
  }
}

/**
 * Reads every stored event of a ledger: each must be the next link of the chain. The balance that
 * they come to is held against the read model and the double entry at the very same entry.
 */
export async function verifyLedger(
  kit: Kit,
  organizationId: string,
): Promise<Omit<Verification, 'startedAt'>> {
  const { entries, head, brokenAt, ledger, position } = await checkEvents(kit, organizationId);
  if (!(await kit.readPosition.reached(position, READ_MODELS_WAIT_MS))) {
    throw new Error('The read models are too far behind to verify a ledger');
  }
  const { debits, credits, readModel, trialBalance } = await balancesAt(
    kit.pool,
    organizationId,
    entries,
  );
  const events = availableIn(ledger);
  const agree = readModel === events && trialBalance === events && debits === credits;
  return {
    status: brokenAt === null && agree ? 'passed' : 'failed',
    finishedAt: new Date().toISOString(),
    entries,
    head: head || null,
    brokenAt,
    available: { events, readModel, trialBalance },
    debits,
    credits,
  };
}

async function checkEvents({ streams }: Kit, organizationId: string): Promise<Checked> {
  const stream = `${ledgerDecider.category}-${organizationId}`;
  let ledger = ledgerDecider.initialState();
  let head = '';
  let entries = 0;
  let brokenAt: number | null = null;
  let position = START;
  for await (const event of streams.eventLog.read(stream, 0n)) {
    const isNext = event.revision === BigInt(entries) && isNextLink(head, event);
    entries = Number(event.revision) + 1;
    head = event.envelope.link?.hash ?? '';
    position = event.position;
    const decoded = decodeIfPossible(event);
    if (!isNext || !decoded) brokenAt ??= entries;
    if (decoded) ledger = ledgerDecider.evolve(ledger, decoded, event.envelope.recordedAt);
  }
  return { entries, head, brokenAt, ledger, position };
}

/** Null for what no ledger of ours can hold: somebody put it there. */
function decodeIfPossible(event: StoredEvent) {
  try {
    return decodeEvent(ledgerDecider, event);
  } catch {
    return null;
  }
}

/** The balances of an organization after so many entries of its ledger. */
function balancesAt(pool: pg.Pool, organizationId: string, entries: number): Promise<Balances> {
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<Record<keyof Balances, string>>(
      `select
         coalesce((select available from read_model.ledger_entries
           where organization_id = $1 and sequence = $2), 0) as "readModel",
         coalesce(sum(credit - debit) filter (where account = 'available'), 0) as "trialBalance",
         coalesce(sum(debit), 0) as debits, coalesce(sum(credit), 0) as credits
       from read_model.journal where organization_id = $1 and sequence <= $2`,
      [organizationId, entries],
    );
    const row = rows[0];
    const number = (name: keyof Balances) => Number(row?.[name] ?? 0);
    return {
      readModel: number('readModel'),
      trialBalance: number('trialBalance'),
      debits: number('debits'),
      credits: number('credits'),
    };
  });
}

async function keep({ pool }: Kit, organizationId: string, state: Verification) {
  await inTenant(pool, organizationId, (client) =>
    client.query(
      `insert into operational.ledger_verifications (organization_id, state) values ($1, $2)
       on conflict (organization_id) do update set state = excluded.state, updated_at = now()`,
      [organizationId, JSON.stringify(state)],
    ),
  );
}
