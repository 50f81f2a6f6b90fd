import { setTimeout as pause } from 'node:timers/promises';
import { rowOfEvent } from '@tallyhand/service-kit/audit-bundle/event-row';
import { keysOf } from '@tallyhand/service-kit/audit-bundle/key-history';
import { leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import { comparePositions, START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import type { Kit } from '../../kit/app.ts';
import { recurring } from '../../kit/recurring.ts';
import { keepDifferences } from './audit-differences.ts';
import { databaseTime, LogCheck, type LogDifference } from './log-check.ts';
import { treesOf } from './log-trees.ts';

const PAGE_LENGTH = 1_000;
/**
 * How long it rests, compared with its work: at first as long, so that most histories are checked
 * soon; of a long history, which is read each hour, four times as long.
 */
const REST = { first: 1, later: 4, firstMs: 60_000 };

export type CheckResult = {
  readonly events: number;
  readonly checkpoints: number;
  readonly differences: readonly LogDifference[];
};

type Checked = Pick<Kit, 'pool' | 'streams' | 'auditSigning'>;

/**
 * Reads the event store from its first event on, and compares every organization's events with its
 * tree and all of its signed checkpoints. It rests after each page, unless it is told to hurry.
 */
export async function checkLogs(
  { pool, streams: { eventLog }, auditSigning }: Checked,
  { hurries = false, signal }: { hurries?: boolean; signal?: AbortSignal } = {},
): Promise<CheckResult> {
  // What was computed and signed before this is of events that are in the store now.
  const madeBefore = await databaseTime(pool);
  const trees = await treesOf(pool, null);
  const head = (await eventLog.head()) ?? START;
  const keys = keysOf(await auditSigning.history());
  const logs = new Map<string, LogCheck>();
  const logOf = (organizationId: string) => {
    const tree = trees.get(organizationId);
    const marks = { pool, organizationId, tree, madeBefore, keys };
    const log = logs.get(organizationId) ?? new LogCheck(marks);
    logs.set(organizationId, log);
    return log;
  };
  let events = 0;
  const started = performance.now();
  for (let at = START; comparePositions(at, head) < 0; ) {
    signal?.throwIfAborted();
    const began = performance.now();
    const page = await readAllAfter(eventLog, at, PAGE_LENGTH);
    for (const event of page.events) {
      const { organizationId } = event.envelope;
      if (organizationId === null || comparePositions(event.position, head) > 0) continue;
      events += 1;
      const log = logOf(organizationId);
      await log.add(leafOf(rowOfEvent(event, log.size + 1)));
    }
    at = page.position;
    if (page.isLast) break;
    if (hurries) continue;
    const rest = performance.now() - started < REST.firstMs ? REST.first : REST.later;
    await pause((performance.now() - began) * rest, undefined, { signal });
  }
  for (const organizationId of trees.keys()) logOf(organizationId);
  const differences: LogDifference[] = [];
  let checkpoints = 0;
  for (const log of logs.values()) {
    const difference = await log.end();
    if (difference) differences.push(difference);
    checkpoints += log.checkpoints;
  }
  return { events, checkpoints, differences };
}

/** How often the store is read again, from its first event on. */
const CHECK_MS = 3_600_000;
/** After a failure the check is repeated sooner. */
const LOOK_MS = 60_000;

/** Checks all logs at the start and periodically, and keeps what it found. */
export function checkLogsOften(kit: Kit): AsyncDisposable {
  let due = 0;
  const failed = 'audit logs were not checked';
  const options = { everyMs: LOOK_MS, startsAtOnce: true, failed, log: kit.log };
  return recurring(options, async (signal) => {
    if (performance.now() < due) return;
    const { differences } = await checkLogs(kit, { signal });
    for (const difference of differences) {
      kit.log.error('an audit log differs from what was computed or signed of it', difference);
    }
    await keepDifferences(kit.pool, differences);
    due = performance.now() + CHECK_MS;
  });
}
