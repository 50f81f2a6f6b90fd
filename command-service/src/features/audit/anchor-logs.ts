import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import { anchorText, treeOfCheckpoints } from '@tallyhand/service-kit/audit-bundle/anchor';
import type { SignedText } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { comparePositions, START } from '@tallyhand/service-kit/event-store/position';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { pollUntil } from '@tallyhand/service-kit/poll-until';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { recurring } from '../../kit/recurring.ts';
import { checkpointBefore, signLog } from './audit-checkpoints.ts';
import { treesOf, treesPosition } from './log-trees.ts';

const ANSWER_MS_MAX = 20_000;
/** Tokens have a few kilobytes, with the certificates of the authority. */
const ANSWER_BYTES_MAX = 262_144;
const ROWS_AT_ONCE = 500;
const TREES_WAIT_MS = 30_000;
const LOOK_MS = 100;

const attempts = counter({
  name: 'tallyhand_audit_timestamps_total',
  help: 'Attempts to have audit logs time-stamped, by outcome; failed ones are repeated each minute.',
  known: ['stamped', 'failed'].map((outcome) => ({ outcome })),
});

export type AnchorTimes = {
  /** Between two looks whether an anchor is due. */
  readonly everyMs: number;
  /** Between two anchors. */
  readonly anchorMs: number;
};

const TIMES: AnchorTimes = { everyMs: 60_000, anchorMs: 3_600_000 };

/**
 * Lets the authority stamp the newest checkpoints of all logs, each hour, also when nothing happened.
 * A failure is repeated a minute later.
 */
export function anchorLogs(kit: Kit, url: string, times: AnchorTimes = TIMES): AsyncDisposable {
  const failed = 'audit logs were not time-stamped';
  return recurring({ everyMs: times.everyMs, failed, log: kit.log }, async (stop) => {
    if (!(await isDue(kit.pool, times.anchorMs))) return;
    try {
      await anchorNow(kit, url, stop);
      attempts.add({ outcome: 'stamped' });
    } catch (error) {
      attempts.add({ outcome: 'failed' });
      throw error;
    }
  });
}

async function isDue(pool: pg.Pool, anchorMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from operational.audit_anchors
     where made_at > now() - make_interval(secs => $1::float / 1000) limit 1`,
    [anchorMs],
  );
  return rowCount === 0;
}

type Anchored = {
  readonly organization_id: string;
  readonly size: number;
  readonly checkpoint: SignedText;
};

async function anchorNow(kit: Kit, url: string, stop: AbortSignal): Promise<void> {
  const { pool } = kit;
  // Without a signer no head would be of now.
  await kit.auditSigning.current();
  await treesReachStore(kit, stop);
  const heads = await newestCheckpoints(kit, stop);
  if (heads.length === 0) return;
  const { root, proofs } = treeOfCheckpoints(heads.map(({ checkpoint }) => checkpoint));
  const { rows } = await pool.query<{ number: string; text: string }>(
    'select number, text from operational.audit_anchors order by number desc limit 1',
  );
  const number = Number(rows[0]?.number ?? 0) + 1;
  const text = anchorText({ number, size: heads.length, root }, rows[0]?.text ?? null);
  const { token, at, authority } = await stampedBy(url, text, stop);
  const anchored = heads.map((head, index) => ({
    ...head,
    number,
    index,
    proof: (proofs[index] ?? []).map((hash) => hash.toString('base64')),
  }));
  await inTransaction(pool, async (client) => {
    await client.query(
      `insert into operational.audit_anchors (number, text, token, authority, stamped_at)
       values ($1, $2, $3, $4, $5)`,
      [number, text, token, authority, at],
    );
    for (let from = 0; from < anchored.length; from += ROWS_AT_ONCE) {
      await client.query('select operational.keep_anchored($1)', [
        JSON.stringify(anchored.slice(from, from + ROWS_AT_ONCE)),
      ]);
    }
  });
}

/**
 * Throws if the trees lack what is stored now: a time-stamp of an older head would say that rows
 * beyond it were not there yet.
 */
async function treesReachStore({ pool, streams }: Kit, stop: AbortSignal): Promise<void> {
  const head = (await streams.eventLog.head()) ?? START;
  const reached = await pollUntil(
    async () => comparePositions(await treesPosition(pool), head) >= 0 || null,
    { everyMs: LOOK_MS, maxMs: TREES_WAIT_MS, signal: stop },
  );
  if (!reached) throw new Error('The trees are behind');
}

/** The newest checkpoint of each log, signed now where the log has grown since. */
async function newestCheckpoints(kit: Kit, stop: AbortSignal): Promise<readonly Anchored[]> {
  const heads: Anchored[] = [];
  const trees = await treesOf(kit.pool, null);
  for (const [organizationId, tree] of [...trees].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    stop.throwIfAborted();
    // One log that can't be signed is no reason to leave out the others.
    await signLog(kit, organizationId).catch((error) =>
      kit.log.error('an audit log was not signed', { organizationId, ...errorFields(error) }),
    );
    const newest = await checkpointBefore(kit.pool, organizationId, null);
    if (!newest || newest.size < tree.frontier.size) continue;
    const { size, signed: checkpoint } = newest;
    heads.push({ organization_id: organizationId, size, checkpoint });
  }
  return heads;
}

async function stampedBy(url: string, text: string, stop: AbortSignal) {
  // It is large, and most installations have no authority.
  const { TimestampFault, timestampRequest, tokenOf } = await import(
    '@tallyhand/service-kit/timestamps/timestamps'
  );
  const request = timestampRequest(text);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query' },
    body: Buffer.from(request.der),
    signal: withDeadline(stop, ANSWER_MS_MAX),
  });
  if (!answer.ok) throw new TimestampFault(`The authority answered ${answer.status}`);
  const bytes = await bytesOf(answer);
  if (!bytes) throw new TimestampFault("The authority's answer is too long");
  return tokenOf(bytes, text, request);
}

/** Null if there are too many. */
async function bytesOf({ body }: Response): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
