import { AdjustmentPosted } from '@tallyhand/contracts/features/credits/credits.events';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { personKeyContext } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { KitSettings } from '../ledger-backends.ts';
import { CREDITS_GIVEN } from '../pairs.ts';
import { type Cast, newCast, type PersonKey } from './cast.ts';
import { beginnings, conversationStream, type Stream, taskEvents } from './streams.ts';

/** Written in one go: the ledger in one append, each task in one of its own, all at once. */
const TASKS_A_ROUND = 50;
const ROUNDS_A_CONVERSATION = 4;
/** Organizations whose histories are written at the same time. */
const AT_ONCE = 16;

export type Organization = Pick<Cast, 'organizationId' | 'userId' | 'agents'>;
export type History = { readonly written: readonly Organization[]; readonly events: number };

export type HistorySize = {
  readonly organizations: number;
  /** At least; agents, articles and members come before the first task. */
  readonly eventsEach: number;
  readonly articlesEach?: number;
  readonly membersEach?: number;
};

/**
 * What organizations that use the product all day leave behind: five events for each task, of which
 * two stand in the ledger, and conversations, agents and articles beside them. The events are those
 * of the product, appended through its client without its commands.
 */
export async function writeHistory(
  {
    databaseUrl,
    eventStoreUrl,
    masterKey,
  }: Pick<KitSettings, 'databaseUrl' | 'eventStoreUrl' | 'masterKey'>,
  { organizations, eventsEach, articlesEach = 20, membersEach = 1 }: HistorySize,
): Promise<History> {
  const admin = openPool(databaseUrl, 2);
  const eventLog = openEventLog(eventStoreUrl);
  try {
    const keepKey = keepKeysIn(admin, masterKey);
    const written: Organization[] = [];
    let events = 0;
    let left = organizations;
    const writer = async () => {
      while (left > 0) {
        left -= 1;
        const cast = await newCast(keepKey, membersEach);
        const count = await writeOne(eventLog, cast, eventsEach, articlesEach);
        // Not before: other writers add meanwhile.
        events += count;
        written.push(cast);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writer));
    return { written, events };
  } finally {
    await eventLog.close();
    await admin.end();
  }
}

/** Puts a member's key where the services read it. */
export function keepKeysIn(admin: pg.Pool, masterKey: KitSettings['masterKey']) {
  const box = sealedBox(masterKey);
  return ({ userId, organizationId, key }: PersonKey) =>
    admin.query(
      `insert into operational.person_keys (person_id, organization_id, sealed)
       values ($1, $2, $3)`,
      [userId, organizationId, box.seal(Buffer.from(key), personKeyContext(userId))],
    );
}

/** Gives how many events were written: `eventsMin`, and what the last round has more. */
async function writeOne(
  eventLog: EventLog,
  cast: Cast,
  eventsMin: number,
  articles: number,
): Promise<number> {
  const { organizationId, agents, link } = cast;
  const ledger = `ledger-${organizationId}`;
  let written = 0;
  const append = async ({ name, events }: Stream, after: bigint | null = null) => {
    written += events.length;
    return (await eventLog.append(name, events, after)).revision;
  };
  const decided = { reason: 'Credits of the bench', approver: 'bench' };
  const given = { organizationId, adjustmentId: newId(), amount: CREDITS_GIVEN };
  const first = link(AdjustmentPosted({ ...given, ...decided }));
  for (const stream of beginnings(cast, articles)) await append(stream);
  let revision = await append({ name: ledger, events: [first] });
  for (let round = 0; written < eventsMin; round += 1) {
    const agentId = agents[round % agents.length] ?? '';
    const tasks = Array.from({ length: TASKS_A_ROUND }, () => taskEvents(cast, agentId));
    const entries = { name: ledger, events: tasks.flatMap((task) => task.ledger) };
    const appended = tasks.map((task) => append(task.stream));
    revision = await append(entries, revision);
    await Promise.all(appended);
    if (round % ROUNDS_A_CONVERSATION === 0) await append(await conversationStream(cast, agentId));
  }
  return written;
}
