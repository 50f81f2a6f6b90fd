import type { Verification } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Position, START } from '@tallyhand/service-kit/event-store/position';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { type TracedJob, tracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import { startJobWorker } from '../../kit/job-worker.ts';
import { announceJob, type JobQueue, type QueueWorker, within } from '../../kit/jobs.ts';
import { decodeEvent } from '../../kit/stream-policy.ts';
import { ledgerDecider, ledgerStream } from './ledger.decider.ts';
import { availableIn, type Ledger } from './ledger-state.ts';

/** A ledger of some millions of entries is read well within this time. */
export const VERIFY_QUEUE: JobQueue = {
  name: 'verify-ledger',
  secondsMax: 1_800,
  repeated: 'until-it-passes',
};

const verified = counter({
  name: 'tallyhand_ledger_verifications_total',
  help: 'Ledgers that were verified from their stored events, by result.',
  known: [{ result: 'passed' }, { result: 'failed' }],
});

/** A long ledger takes minutes; the others are checked meanwhile. */
const VERIFY_LIMITS: FairQueueLimits = {
  concurrency: 3,
  concurrencyPerOrganization: 1,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};
const READ_MODELS_WAIT_MS = 30_000;

type VerifyJob = TracedJob & {
  readonly organizationId: string;
  /** Only the newest check of a ledger is run. */
  readonly startedAt: string;
};

/** The result of reading a ledger's stored events. */
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

/** Requests a check of a ledger. It replaces an unfinished one. */
export async function requestVerification(kit: Kit, boss: PgBoss, organizationId: string) {
  const job: VerifyJob = { organizationId, startedAt: new Date().toISOString() };
  const state = { ...NOT_CHECKED, status: 'running', startedAt: job.startedAt };
  await inTenant(kit.pool, organizationId, async (client) => {
    await client.query(
      `insert into operational.ledger_verifications (organization_id, state) values ($1, $2)
       on conflict (organization_id) do update set state = excluded.state, updated_at = now()`,
      [organizationId, JSON.stringify(state)],
    );
    // Queues of earlier releases accept one job for each key.
    await boss.send(VERIFY_QUEUE.name, withTrace(job), {
      ...within(client),
      singletonKey: newId(),
      group: { id: organizationId },
    });
    await announceJob(client, VERIFY_QUEUE);
  });
}

/** Checks ledgers, in turns by organization, until it is disposed of. */
export function workOnVerifications(boss: PgBoss, kit: Kit): QueueWorker {
  const { name: queue } = VERIFY_QUEUE;
  return startJobWorker<VerifyJob>({
    boss,
    queue,
    turns: new FairQueue('verifications', VERIFY_LIMITS),
    log: kit.log,
    run: ({ data }) => tracedJob(queue, data, () => runVerification(kit, data)),
  });
}

async function runVerification(kit: Kit, job: VerifyJob) {
  const { organizationId } = job;
  if (!(await isNewest(kit, job))) return;
  try {
    const result = await verifyLedger(kit, organizationId);
    await keep(kit, job, result);
    verified.add({ result: result.status === 'passed' ? 'passed' : 'failed' });
    if (result.status === 'failed') {
      kit.log.error('a ledger failed its verification', { organizationId, ...result });
    }
  } catch (error) {
    kit.log.error('a ledger was not verified', { organizationId, ...errorFields(error) });
    throw error;
  }
}

/**
 * Reads every stored event of a ledger: each must be the next link of the chain. The resulting
 * balance is compared with the read model and the double entry at the same entry.
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
  const stream = `${ledgerStream.category}-${organizationId}`;
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

/** Null for an event that no ledger contains: it was tampered with. */
function decodeIfPossible(event: StoredEvent) {
  try {
    return decodeEvent(ledgerStream, event);
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

function isNewest({ pool }: Kit, { organizationId, startedAt }: VerifyJob): Promise<boolean> {
  return inTenant(pool, organizationId, async (client) => {
    const { rowCount } = await client.query(
      `select from operational.ledger_verifications
       where organization_id = $1 and state ->> 'startedAt' = $2`,
      [organizationId, startedAt],
    );
    return rowCount === 1;
  });
}

/** Stores the result of a check, unless a newer one was requested. */
async function keep(
  { pool }: Kit,
  { organizationId, startedAt }: VerifyJob,
  result: Omit<Verification, 'startedAt'>,
) {
  await inTenant(pool, organizationId, (client) =>
    client.query(
      `update operational.ledger_verifications set state = $3, updated_at = now()
       where organization_id = $1 and state ->> 'startedAt' = $2`,
      [organizationId, startedAt, JSON.stringify({ ...result, startedAt })],
    ),
  );
}
