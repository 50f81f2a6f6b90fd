import { randomUUID } from 'node:crypto';
import { LedgerEntry } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { readLedgerEntries } from '@tallyhand/read-models/features/credits/ledger.tables';
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

  it('is as it was at a place of the audit log in either order, and names an order that is none', async () => {
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

  it.each([
    [
      'newest',
      /Index Scan Backward using ledger_entries_pkey/,
      /Index Cond: \(\(organization_id = \$1\) AND \(sequence <= COALESCE\(\$5.*AND \(sequence < CASE/,
    ],
    [
      'oldest',
      /Index Scan using ledger_entries_pkey/,
      /Index Cond: \(\(organization_id = \$1\) AND \(sequence <= COALESCE\(\$5.*AND \(sequence > CASE/,
    ],
  ] as const)(
    'finds its page by key, %s first, without a look at what comes before it',
    async (order, scan, bound) => {
      const { organizationId } = await service.caller();
      await ledgerOf(organizationId, ENTRIES);
      const values = ['me.organization_id', 'p_cursor_at', 'p_cursor_id', 'p_limit', 'p_until'];
      const read = values.reduce(
        (sql, v, i) => sql.replaceAll(v, `$${i + 1}`),
        readLedgerEntries[order].sql,
      );
      const client = await service.admin.connect();
      try {
        // As in the stored function: one plan, whatever the arguments are.
        await client.query(`analyze read_model.ledger_entries;
        set plan_cache_mode = force_generic_plan;
        prepare page (uuid, timestamptz, uuid, int, bigint) as ${read}`);
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `explain execute page ('${organizationId}', now(), '${randomUUID()}', 100, null)`,
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(scan);
        expect(plan).toMatch(bound);
      } finally {
        client.release(true);
      }
    },
  );

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

describe('GET /api/billing/ledger/export', () => {
  it('gives the whole ledger, oldest first', async () => {
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

  it('holds no formula, whoever chose the name of an agent or wrote a reason', async () => {
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
