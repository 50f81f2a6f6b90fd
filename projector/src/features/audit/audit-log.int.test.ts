import { AdjustmentPosted } from '@tallyhand/contracts/features/credits/credits.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestProjector, type TestProjector } from '../../testing/test-projector.ts';
import { auditLogProjection } from './audit-log.projection.ts';

let projector: TestProjector;
const all = [auditLogProjection];
beforeAll(async () => {
  projector = await openTestProjector();
});
afterAll(() => projector[Symbol.asyncDispose]());

type Row = {
  readonly sequence: string;
  readonly event_id: string;
  readonly at: Date;
  readonly latest: Date;
  readonly leaf: Buffer;
  readonly data: Record<string, unknown>;
};
const log = (organizationId: string) =>
  projector.rows<Row & Record<string, string>>('audit_entries', organizationId, 'sequence');

/** Appends one event each, at these moments; null: an event of no organization. */
async function append(organizationId: string | null, moments: readonly string[]) {
  const adjusted = (): EventValue =>
    AdjustmentPosted({
      organizationId: organizationId ?? newId(),
      adjustmentId: newId(),
      amount: 1,
      reason: 'An error',
      approver: 'Ada',
    });
  const events = moments.map((recordedAt) => ({
    id: newId(),
    ...adjusted(),
    envelope: {
      schemaVersion: 1,
      organizationId,
      actor: { kind: 'operator' },
      correlationId: 'c',
      causationId: null,
      commandId: newId(),
      recordedAt,
    },
  }));
  await projector.eventLog.append(`ledger-${newId()}`, events, null);
  return events;
}

const at = (second: number) => `2026-11-21T08:00:${String(second).padStart(2, '0')}.000Z`;

describe('the audit log', () => {
  it('continues its numbers in the next batch, separately for each organization', async () => {
    const [first, second] = [newId(), newId()];
    const expected = [];
    {
      await using _running = projector.project(all);
      expected.push(...(await append(first, [at(1), at(2)])));
      await append(second, [at(1)]);
      await projector.caughtUp(all);
    }
    await using _running = projector.project(all);
    expected.push(...(await append(first, [at(3)])));
    await projector.caughtUp(all);
    const rows = await log(first);
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3]);
    expect(rows.map(({ event_id }) => event_id)).toEqual(expected.map(({ id }) => id));
    expect((await log(second)).map(({ sequence }) => Number(sequence))).toEqual([1]);
  });

  it('knows how far a clock was behind the latest one before', async () => {
    const organizationId = newId();
    await using _running = projector.project(all);
    await append(organizationId, [at(5), at(2), at(7)]);
    await projector.caughtUp(all);
    const latest = (await log(organizationId)).map((row) => row.latest.toISOString());
    expect(latest).toEqual([at(5), at(5), at(7)]);
    const heads = await projector.rows<Row>('audit_heads', organizationId, 'sequence');
    expect(heads).toMatchObject([{ sequence: '3', skew_ms: '3000' }]);
  });

  it('has the leaf of the exported row', async () => {
    const organizationId = newId();
    await using _running = projector.project(all);
    const [event] = await append(organizationId, ['2026-11-21T09:00:00+01:00']);
    await projector.caughtUp(all);
    const [row] = await log(organizationId);
    const { correlationId, causationId, commandId } = event?.envelope ?? {};
    const leaf = leafOf({
      sequence: 1,
      eventId: event?.id ?? '',
      type: 'AdjustmentPosted',
      schemaVersion: 1,
      stream: row?.stream ?? '',
      at: row?.at.toISOString() ?? '',
      data: row?.data ?? {},
      actor: { kind: 'operator', id: null, signInId: null },
      correlationId: correlationId ?? '',
      causationId: causationId ?? null,
      commandId: commandId ?? '',
      sourceAddress: null,
    });
    expect(row?.leaf.toString('hex')).toBe(leaf.toString('hex'));
  });

  it('has no event without an organization', async () => {
    await using _running = projector.project(all);
    const [event] = await append(null, [at(1)]);
    await projector.caughtUp(all);
    const { rowCount } = await projector.admin.query(
      'select from read_model.audit_entries where event_id = $1',
      [event?.id],
    );
    expect(rowCount).toBe(0);
  });
});
