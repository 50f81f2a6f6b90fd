import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { recordKeyUses } from './record-key-uses.ts';

const OFTEN_MS = 10;

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());

type Use = { readonly organizationId: string; readonly keyId: string };
const newUse = (): Use => ({ organizationId: newId(), keyId: newId() });

/** `sinceEnd`: how long ago the hour was over, as an interval. */
async function used({ organizationId, keyId }: Use, count: number, sinceEnd: string) {
  const { rows } = await kit.admin.query<{ hour: Date }>(
    `insert into operational.api_key_uses (key_id, organization_id, hour, count)
     values ($1, $2, date_trunc('second', now() - interval '1 hour' - $3::interval), $4)
     returning hour`,
    [keyId, organizationId, sinceEnd, count],
  );
  return rows[0]?.hour.toISOString();
}

async function toldOf({ organizationId }: Use) {
  const told: unknown[] = [];
  for await (const { type, data, envelope } of kit.opened.kit.streams.eventLog.read(
    `audit-${organizationId}`,
    0n,
  )) {
    told.push({ type, data, actor: envelope.actor.kind });
  }
  return told;
}

/** Resolves when finished hours have been recorded and their rows deleted. */
async function sweep(...uses: readonly Use[]) {
  await using _ = recordKeyUses(kit.opened.kit, OFTEN_MS);
  const keys = uses.map(({ keyId }) => keyId);
  const left = async () =>
    (await kit.admin.query('select from operational.api_key_uses where key_id = any($1)', [keys]))
      .rowCount;
  await expect.poll(left).toBe(0);
}

const event = ({ organizationId, keyId }: Use, hour: string | undefined, count: number) => ({
  type: 'ApiKeyUsed',
  actor: 'worker',
  data: { organizationId, keyId, hour, count },
});

describe('how often a key was used', () => {
  it('is recorded once for each finished hour, in its own organization', async () => {
    const [one, other] = [newUse(), newUse()];
    const earlier = await used(one, 5, '1 hour 2 minutes');
    const later = await used(one, 7, '2 minutes');
    const others = await used(other, 3, '2 minutes');
    await sweep(one, other);
    expect(await toldOf(one)).toEqual([event(one, earlier, 5), event(one, later, 7)]);
    expect(await toldOf(other)).toEqual([event(other, others, 3)]);
  });

  it('waits for what other processes may still count for the hour', async () => {
    const [over, young] = [newUse(), newUse()];
    await used(young, 9, '10 seconds');
    await used(over, 1, '2 minutes');
    await sweep(over);
    expect(await toldOf(young)).toEqual([]);
  });

  it('is recorded once even if the process died before deleting the row', async () => {
    const use = newUse();
    const hour = await used(use, 4, '2 minutes');
    await sweep(use);
    await kit.admin.query(
      `insert into operational.api_key_uses (key_id, organization_id, hour, count)
       values ($1, $2, $3, 4)`,
      [use.keyId, use.organizationId, hour],
    );
    await sweep(use);
    expect(await toldOf(use)).toEqual([event(use, hour, 4)]);
  });
});
