import { randomUUID } from 'node:crypto';
import { LedgerEntry, LedgerGroup } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openTestQueryService, type TestQueryService } from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

const ENTRIES = 3_500;

/** A ledger as long as this, a second between its entries. */
const ledgerOf = (organizationId: string, entries: number) =>
  service.admin.query(
    `insert into read_model.ledger_entries (organization_id, sequence, entry_id, kind,
       available_change, posted_change, available, amount, prev, hash, at)
     select $1, n, gen_random_uuid(), 'granted', 1, 1, n, 1, 'h' || (n - 1), 'h' || n,
       '2026-11-21T00:00:00Z'::timestamptz + (n / 2) * interval '1 second'
     from generate_series(1, $2::int) n`,
    [organizationId, entries],
  );

describe('GET /api/billing/ledger', () => {
  it.each([
    ['newest', '', (index: number) => ENTRIES - index],
    ['oldest', '&order=oldest', (index: number) => index + 1],
  ])('pages through some thousand entries, %s first, each once', async (_, query, sequenceAt) => {
    const own = await service.caller();
    await ledgerOf(own.organizationId, ENTRIES);
    const sequences: number[] = [];
    let path: string | undefined = `/api/billing/ledger?limit=1000${query}`;
    while (path) {
      const { status, body, headers } = await service.get(path, own);
      expect(status).toBe(200);
      sequences.push(
        ...z
          .array(LedgerEntry)
          .parse(body)
          .map(({ sequence }) => sequence),
      );
      path = /^<(.+)>/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(sequences).toEqual(Array.from({ length: ENTRIES }, (__, index) => sequenceAt(index)));
  });

  it('is shown as of a position of the audit log in either order, and refuses an unknown order by name', async () => {
    const own = await service.caller();
    await ledgerOf(own.organizationId, 3);
    const then = await service.get('/api/billing/ledger?asOf=0&order=oldest', own);
    expect([then.status, then.body]).toEqual([200, []]);
    const { status, body } = await service.get('/api/billing/ledger?order=best', own);
    expect([status, body]).toMatchObject([422, { errors: [{ path: 'order' }] }]);
    const { headers } = await service.get('/api/billing/ledger?limit=1&order=oldest', own);
    const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1];
    const other = await service.get(`/api/billing/ledger?cursor=${cursor}`, own);
    expect([other.status, other.body]).toMatchObject([422, { errors: [{ path: 'cursor' }] }]);
  });

  it('has nothing after an entry of another organization', async () => {
    const [own, other] = [await service.caller(), await service.caller()];
    await ledgerOf(own.organizationId, 3);
    await ledgerOf(other.organizationId, 3);
    const { headers } = await service.get('/api/billing/ledger?limit=1', other);
    const path = /^<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    expect(path).toContain('cursor=');
    expect((await service.get(path, own)).body).toEqual([]);
  });
});

describe('GET /api/billing/ledger/groups', () => {
  /** The sequences of the entries of each group. */
  const groupsIn = (body: unknown) =>
    z
      .array(LedgerGroup)
      .parse(body)
      .map(({ entries }) => entries.map(({ sequence }) => sequence));

  /** A ledger with these entries; equal letters are entries of one reservation. */
  async function ledgerWith(reservations: string) {
    const own = await service.caller();
    const ids = new Map<string, string>();
    for (const [index, letter] of [...reservations].entries()) {
      if (!ids.has(letter)) ids.set(letter, randomUUID());
      await service.entry(own.organizationId, {
        sequence: index + 1,
        kind: 'charged',
        reservation_id: letter === '.' ? null : (ids.get(letter) ?? null),
        at: `2026-11-21T00:00:0${Math.floor(index / 2)}Z`,
      });
    }
    return own;
  }

  it.each([
    ['newest', '', [[8], [5, 7], [4], [2, 3, 6, 9], [1]]],
    ['oldest', '&order=oldest', [[1], [2, 3, 6, 9], [4], [5, 7], [8]]],
  ])(
    'has each entry once, %s first, also where a page ends within a reservation',
    async (_, query, groups) => {
      const own = await ledgerWith('.aa.bab.a');
      for (const limit of [1, 2, 3, 1000]) {
        const found: number[][] = [];
        let path: string | undefined = `/api/billing/ledger/groups?limit=${limit}${query}`;
        while (path) {
          const { status, body, headers } = await service.get(path, own);
          expect(status).toBe(200);
          found.push(...groupsIn(body));
          path = /^<(.+)>/.exec(headers.get('link') ?? '')?.[1];
        }
        expect(found).toEqual(groups);
      }
    },
  );

  it('starts with the group of an entry, and goes on from there', async () => {
    const own = await ledgerWith('.aa.bab.a');
    const { body, headers } = await service.get('/api/billing/ledger/groups?limit=2&entry=7', own);
    expect(groupsIn(body)).toEqual([[5, 7], [4]]);
    const next = /^<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    expect(groupsIn((await service.get(next, own)).body)).toEqual([[2, 3, 6, 9], [1]]);
    const oldest = '/api/billing/ledger/groups?order=oldest&entry=9';
    expect(groupsIn((await service.get(oldest, own)).body)).toEqual([
      [2, 3, 6, 9],
      [4],
      [5, 7],
      [8],
    ]);
  });

  it('is empty from an entry that does not exist, and refuses what is no sequence', async () => {
    const own = await ledgerWith('.');
    expect((await service.get('/api/billing/ledger/groups?entry=2', own)).body).toEqual([]);
    const { status, body } = await service.get('/api/billing/ledger/groups?entry=0', own);
    expect([status, body]).toMatchObject([422, { errors: [{ path: 'entry' }] }]);
  });

  it('keeps the first and the newest entries of a reservation with very many', async () => {
    const own = await service.caller();
    await ledgerOf(own.organizationId, 60);
    await service.admin.query(
      `update read_model.ledger_entries set reservation_id = organization_id
       where organization_id = $1`,
      [own.organizationId],
    );
    const [sequences] = groupsIn((await service.get('/api/billing/ledger/groups', own)).body);
    expect(sequences).toEqual([1, ...Array.from({ length: 49 }, (_, index) => index + 12)]);
  });
});

describe('GET /api/billing/ledger/export', () => {
  it('returns the whole ledger, oldest first', async () => {
    const own = await service.caller();
    await ledgerOf(own.organizationId, ENTRIES);
    const { status, headers, text } = await service.get(
      '/api/billing/ledger/export?format=csv',
      own,
    );
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"');
    const [headings, ...lines] = text.trimEnd().split('\r\n');
    expect(headings).toMatch(/^Sequence,Time,Kind,Amount,/);
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(
      Array.from({ length: ENTRIES }, (_, index) => index + 1),
    );
  });

  it("contains no formula, not even from an agent's name or a reason", async () => {
    const own = await service.caller();
    const agentId = randomUUID();
    await service.agentNamed(own.organizationId, agentId, '=HYPERLINK("https://evil.example")');
    const columns = { agent_id: agentId, reason: '+cmd|calc', approver: '@Ada', amount: -5 };
    await service.entry(own.organizationId, columns);
    const { text } = await service.get('/api/billing/ledger/export', own);
    expect(text).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
    expect(text).toContain(`,-5,`);
    expect(text).toContain(`,'+cmd|calc,'@Ada,`);
  });

  it('answers HEAD without the table, and refuses another format', async () => {
    const own = await service.caller();
    const head = await service.get('/api/billing/ledger/export', own, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    const { status, body } = await service.get('/api/billing/ledger/export?format=xlsx', own);
    expect([status, body]).toMatchObject([422, { errors: [{ path: 'format' }] }]);
  });
});
