import { randomUUID } from 'node:crypto';
import type { Link } from '@tallyhand/contracts/kernel/envelope';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { personKeys } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { type NewEvent, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  comparePositions,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { jsonLog, type Log } from '@tallyhand/service-kit/log';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { migrate } from '@tallyhand/stack/application/migrate';
import { testDatabase, testEventStore, testKey } from '@tallyhand/test-kit/backends';
import { Kysely, PostgresDialect } from 'kysely';
import { expect, vi } from 'vitest';
import { PipelinedClient } from '../kernel/pipelined-client.ts';
import type { Projection } from '../kernel/projection.ts';
import { runProjections } from '../kernel/runner.ts';
import { transactOn } from '../kernel/transact.ts';

type Unlinked = { readonly event: EventValue; readonly at?: string | undefined };

/** An id that does not trigger a check of all ledgers. */
const ordinaryId = () => newId().replace(/000$/, '001');

/** Events of a ledger as the command service stores them, chained after `prev`. */
export function linked(organizationId: string, prev: string, events: readonly Unlinked[]) {
  let head = prev;
  return events.map(({ event, at = '2026-11-21T08:00:00.000Z' }): NewEvent & { link: Link } => {
    const envelope = {
      schemaVersion: 1,
      organizationId,
      actor: { kind: 'worker' as const },
      correlationId: 'correlation',
      causationId: null,
      commandId: newId(),
      recordedAt: at,
    };
    const unlinked = { id: ordinaryId(), type: event.type, data: event.data, envelope };
    const link = { prev: head, hash: linkHash(head, unlinked) };
    head = link.hash;
    return { ...unlinked, envelope: { ...envelope, link }, link };
  });
}

export type TestProjector = Awaited<ReturnType<typeof openTestProjector>>;

/** A real event store and PostgreSQL, projectors on them, and rows as an administrator sees them. */
export async function openTestProjector() {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const store = opening.use(await testEventStore());
  const masterKey = testKey();
  await migrate(database.url, masterKey);
  const admin = opening.adopt(openPool(database.url, 2), (p) => p.end());
  const url = roleUrl(database.url, masterKey, 'projector');
  const pool = opening.adopt(openPool(url, 8, PipelinedClient), (p) => p.end());
  const eventLog = opening.adopt(openEventLog(store.url), (e) => e.close());
  const opened = opening.move();
  const heads = new Map<string, { revision: bigint; hash: string }>();

  async function rows<R extends object>(table: string, organizationId: string, order: string) {
    const { rows: found } = await admin.query<R>(
      `select * from read_model.${table} where organization_id = $1 order by ${order}`,
      [organizationId],
    );
    return found;
  }

  return {
    admin,
    eventLog,
    rows,
    /** The database as the query service sees it. */
    queryUrl: roleUrl(database.url, masterKey, 'query'),
    /** Appends to a ledger; `change` alters what is stored after it was linked. */
    async append(
      organizationId: string,
      events: readonly (EventValue | Unlinked)[],
      change: (event: NewEvent) => NewEvent = (event) => event,
    ): Promise<void> {
      const head = heads.get(organizationId);
      const unlinked = events.map((each) => ('event' in each ? each : { event: each }));
      const stored = linked(organizationId, head?.hash ?? '', unlinked);
      const last = stored.at(-1);
      if (!last) return;
      const { revision } = await eventLog.append(
        `ledger-${organizationId}`,
        stored.map(({ link: _, ...event }) => change(event)),
        head?.revision ?? null,
      );
      heads.set(organizationId, { revision, hash: last.link.hash });
    },
    /** Runs these projections until it is disposed. */
    project: (projections: readonly Projection[], log: Log = jsonLog('test', 'silent')) =>
      runProjections({
        db: new Kysely<ReadModelTables>({ dialect: new PostgresDialect({ pool }) }),
        transact: transactOn(pool),
        personKeys: personKeys(pool, sealedBox(masterKey)),
        eventLog,
        log,
        projections,
      }),
    /** Waits until all stored events are in the rows. */
    async caughtUp(projections: readonly Projection[]): Promise<void> {
      const head = (await eventLog.head()) ?? START;
      await vi.waitFor(async () => {
        const { rows: checkpoints } = await admin.query<{ position: string }>(
          'select position from read_model.checkpoints where projection = any($1)',
          [projections.map(({ model }) => model.name)],
        );
        expect(checkpoints).toHaveLength(projections.length);
        for (const { position } of checkpoints) {
          const reached = parsePosition(position) ?? START;
          expect(comparePositions(reached, head)).toBeGreaterThanOrEqual(0);
        }
      });
    },
    newOrganization: () => randomUUID(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
