import { hash, randomUUID, verify } from 'node:crypto';
import { StatementSignature } from '@tallyhand/contracts/features/credits/statements.endpoints';
import { plainRow } from '@tallyhand/read-models/testing/plain-row';
import { signKeyEntry } from '@tallyhand/service-kit/audit-bundle/key-history';
import { publishedKey, readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { localSigner, readPrivateKey } from '@tallyhand/service-kit/audit-bundle/signer';
import { verifyStatement } from '@tallyhand/service-kit/audit-bundle/statement';
import { appendKey, readKeyHistory } from '@tallyhand/service-kit/audit-keys/stored-history';
import { csvCells } from '@tallyhand/service-kit/csv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

const NAME = '=株式会社 "Lark"';

async function organization(registeredAt = '2026-09-12T08:00:00Z'): Promise<Caller> {
  const own = await service.caller();
  await service.insert('organizations', {
    ...plainRow('organizations'),
    organization_id: own.organizationId,
    name: NAME,
    registered_at: registeredAt,
  });
  return own;
}

type Entry = readonly [kind: string, at: string, amount: number, available: number, posted: number];

async function ledger({ organizationId }: Caller, entries: readonly Entry[], paymentId: string) {
  for (const [index, [kind, at, amount, available, posted]] of entries.entries()) {
    await service.entry(organizationId, {
      sequence: index + 1,
      kind,
      at,
      amount,
      available_change: available,
      posted_change: posted,
      payment_id: ['purchased', 'reversed'].includes(kind) ? paymentId : null,
      hash: `hash-${index + 1}`,
    });
  }
}

const payment = ({ organizationId, userId }: Caller, paymentId: string, created_at: string) =>
  service.insert('payments', {
    ...plainRow('payments'),
    payment_id: paymentId,
    organization_id: organizationId,
    requested_by: userId,
    credits: 100,
    cents: 4_900,
    currency: 'usd',
    created_at,
  });

/** 100 promotional credits and 100 bought ones; 130 are used, of which 20 already in September. */
const ENTRIES: readonly Entry[] = [
  ['granted', '2026-09-12T08:00:00Z', 100, 100, 100],
  ['reserved', '2026-09-30T23:59:58Z', 20, -20, 0],
  ['charged', '2026-09-30T23:59:59.999Z', 20, 0, -20],
  // A clock was behind: the entry before it was recorded in October as well.
  ['purchased', '2026-10-01T00:00:00Z', 100, 100, 100],
  ['reserved', '2026-10-01T00:00:00.001Z', 120, -120, 0],
  ['charged', '2026-10-20T08:00:00Z', 110, 0, -110],
  ['released', '2026-10-20T08:00:00Z', 10, 10, 0],
  ['reserved', '2026-10-31T23:59:59Z', 5, -5, 0],
  ['charged', '2026-11-01T00:00:00Z', 5, 0, -5],
];

async function usualLedger() {
  const own = await organization();
  const paymentId = randomUUID();
  await payment(own, paymentId, '2026-10-01T00:00:00Z');
  await ledger(own, ENTRIES, paymentId);
  return { own, paymentId };
}

const statementPath = (kind: string, month: string) =>
  `/api/billing/statements/${kind}?month=${month}`;

/** Section and item, with the cells of some columns that are not empty. */
function linesIn(text: string): string[] {
  const [head = [], ...lines] = text
    .split(/(?<=\r\n)/)
    .filter(Boolean)
    .map((line) => csvCells(line) ?? []);
  return lines.map((cells) =>
    cells
      .flatMap((cell, index) => (cell === '' ? [] : index < 2 ? cell : `${head[index]} ${cell}`))
      .join(', '),
  );
}

describe('the statement of a month', () => {
  it('has balances, movements and deferred revenue, from the first to the last moment of it', async () => {
    const { own, paymentId } = await usualLedger();
    const { status, text, headers } = await service.get(statementPath('export', '2026-10'), own);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain('statement-2026-10.csv');
    expect(linesIn(text)).toEqual([
      `about, organization, Text ${NAME}`,
      `about, organization-id, Text ${own.organizationId}`,
      'about, month, Text 2026-10',
      'about, ledger-head, Text hash-8, Entry 8',
      'credits, opening, Available 80, Reserved 0',
      'credits, granted, Entries 0, Available 0, Reserved 0',
      'credits, purchased, Entries 1, Available 100, Reserved 0',
      'credits, reserved, Entries 2, Available -125, Reserved 125',
      'credits, charged, Entries 1, Available 0, Reserved -110',
      'credits, released, Entries 1, Available 10, Reserved -10',
      'credits, expired, Entries 0, Available 0, Reserved 0',
      'credits, refunded, Entries 0, Available 0, Reserved 0',
      'credits, reversed, Entries 0, Available 0, Reserved 0',
      'credits, reinstated, Entries 0, Available 0, Reserved 0',
      'credits, adjusted, Entries 0, Available 0, Reserved 0',
      'credits, closing, Available 65, Reserved 5',
      'revenue, deferredOpening, Currency usd, Amount 0.00',
      'revenue, purchases, Currency usd, Amount 49.00',
      'revenue, withdrawn, Currency usd, Amount 0.00',
      'revenue, recognized, Currency usd, Amount 14.70',
      'revenue, deferredClosing, Currency usd, Amount 34.30',
      'lots, granted, Time 2026-09-12T08:00:00.000Z, Entry 1, Credits 100, Used 100, Withdrawn 0, Unused 0',
      `lots, purchased, Text ${paymentId}, Time 2026-10-01T00:00:00.000Z, Entry 4, Credits 100, Used 30, Withdrawn 0, Unused 70, Currency usd, Amount 49.00, Deferred 34.30`,
    ]);
    // What a spreadsheet would take for a formula is text.
    expect(text).toContain(`"'${NAME.replaceAll('"', '""')}"`);
  });

  it('has the same bytes each time, as PDF too, and begins where the one before it ended', async () => {
    const { own } = await usualLedger();
    const { text: september } = await service.get(statementPath('export', '2026-09'), own);
    expect(linesIn(september)).toContain('credits, closing, Available 80, Reserved 0');
    for (const kind of ['export', 'pdf']) {
      const [one, two] = await Promise.all([
        service.get(statementPath(kind, '2026-10'), own),
        service.get(statementPath(kind, '2026-10'), own),
      ]);
      expect(one.text).toBe(two.text);
      expect(one.text.startsWith('%PDF-')).toBe(kind === 'pdf');
    }
  });

  it('withdraws the money of a refunded purchase', async () => {
    const own = await organization();
    const paymentId = randomUUID();
    await payment(own, paymentId, '2026-09-13T00:00:00Z');
    await ledger(
      own,
      [
        ['purchased', '2026-09-13T00:00:00Z', 100, 100, 100],
        ['reversed', '2026-10-02T00:00:00Z', 40, -40, -40],
      ],
      paymentId,
    );
    const { text } = await service.get(statementPath('export', '2026-10'), own);
    expect(linesIn(text).filter((line) => line.startsWith('revenue'))).toEqual([
      'revenue, deferredOpening, Currency usd, Amount 49.00',
      'revenue, purchases, Currency usd, Amount 0.00',
      'revenue, withdrawn, Currency usd, Amount 19.60',
      'revenue, recognized, Currency usd, Amount 0.00',
      'revenue, deferredClosing, Currency usd, Amount 29.40',
    ]);
  });

  it('is listed for each month that has ended since the organization was created', async () => {
    const own = await organization(new Date(Date.now() - 70 * 86_400_000).toISOString());
    const { body } = await service.get('/api/billing/statements', own);
    const months = (body as { month: string; endsAt: string }[]).map(({ month }) => month);
    expect(months.length).toBeGreaterThanOrEqual(1);
    expect(months).toEqual(months.toSorted().toReversed());
    const young = await organization(new Date().toISOString());
    expect((await service.get('/api/billing/statements', young)).body).toEqual([]);
  });

  it.each([
    ['a month that is none', 'month=2026-13', 'month', 'month must be a month, as 2026-10'],
    ['a day', 'month=2026-10-01', 'month', 'month must be a month, as 2026-10'],
    ['no month', '', 'month', 'month must be a month, as 2026-10'],
    ['the running or a future month', 'month=2999-01', 'month', 'can be made from 2999-02-01'],
    ['a month before the organization', 'month=2026-08', 'month', 'was created in 2026-09'],
    ['an unknown parameter', 'month=2026-10&day=1', 'day', 'There is no such parameter'],
  ])('is refused for %s, in each form', async (_, query, path, message) => {
    const own = await organization();
    for (const kind of ['export', 'pdf', 'signature']) {
      const asked = `/api/billing/statements/${kind}?${query}${kind === 'signature' ? '&format=csv' : ''}`;
      const { status, body } = await service.get(asked, own);
      expect([status, body]).toMatchObject([
        422,
        { errors: [{ path, message: expect.stringContaining(message) }] },
      ]);
    }
  });

  it('waits for the payment of a purchase, and for the newest entry of the audit log', async () => {
    const own = await organization();
    await ledger(own, [['purchased', '2026-10-01T00:00:00Z', 100, 100, 100]], randomUUID());
    const path = statementPath('export', '2026-10');
    expect((await service.get(path, own)).body).toMatchObject({ code: 'statement-not-ready' });
    const { own: other } = await usualLedger();
    await service.insert('audit_entries', {
      ...plainRow('audit_entries'),
      organization_id: other.organizationId,
      sequence: 1,
      event_id: randomUUID(),
      command_id: randomUUID(),
      category: 'ledger',
    });
    expect((await service.get(path, other)).body).toMatchObject({ code: 'statement-not-ready' });
  });

  it('is for Admins, of their own organization', async () => {
    const { own } = await usualLedger();
    const other = await organization();
    const { text } = await service.get(statementPath('export', '2026-10'), other);
    expect(linesIn(text)).toContain('credits, closing, Available 0, Reserved 0');
    expect(text).not.toContain(own.organizationId);
    for (const role of ['Editor', 'Viewer'] as const) {
      const member = await service.caller(role, own.organizationId);
      for (const kind of ['export', 'pdf']) {
        const { status } = await service.get(statementPath(kind, '2026-10'), member);
        expect(status).toBe(403);
      }
    }
  });
});

describe('the signature of a statement', () => {
  it('is refused while nothing can sign, and verifies with the published history', async () => {
    const { own } = await usualLedger();
    const asked = (format: string) => `${statementPath('signature', '2026-10')}&format=${format}`;
    expect((await service.get(asked('csv'), own)).body).toMatchObject({
      status: 503,
      code: 'statement-not-signed',
    });
    const key = readPrivateKey(service.auditKey.pem);
    if (!key) throw new Error('The test has no key');
    const entry = await signKeyEntry(localSigner(key), null, new Date('2026-09-01T00:00:00Z'));
    await appendKey(service.admin, 0, entry);
    const history = await readKeyHistory(service.admin);
    for (const [kind, format] of [
      ['export', 'csv'],
      ['pdf', 'pdf'],
    ] as const) {
      const response = await fetch(`${service.url}${statementPath(kind, '2026-10')}`, {
        headers: { cookie: own.cookie },
      });
      const content = Buffer.from(await response.arrayBuffer());
      const { text, body } = await service.get(asked(format), own);
      const signed = StatementSignature.parse(body);
      expect(signed.text).toBe(
        `tallyhand statement\n${own.organizationId}\n2026-10\n${format}\n${hash('sha256', content)}\n`,
      );
      const publicKey = readPublicKey(history[0]?.publicKey ?? '');
      if (!publicKey) throw new Error('The history has no key');
      const signature = Buffer.from(signed.signature, 'base64');
      expect(verify(null, Buffer.from(signed.text), publishedKey(publicKey).pem, signature)).toBe(
        true,
      );
      expect(verifyStatement(content, text, history)).toMatchObject({ isWell: true });
      content[content.length - 3] = (content.at(-3) ?? 0) ^ 1;
      expect(verifyStatement(content, text, history)).toMatchObject({ isWell: false });
    }
  });

  it('is refused for an unknown format by name', async () => {
    const { own } = await usualLedger();
    const asked = `${statementPath('signature', '2026-10')}&format=doc`;
    expect((await service.get(asked, own)).body).toMatchObject({
      errors: [{ path: 'format', message: 'format must be pdf or csv' }],
    });
  });
});

describe('the CSV files of a period', () => {
  const columnOf = (text: string, name: string) => {
    const [head = [], ...lines] = text
      .split(/(?<=\r\n)/)
      .filter(Boolean)
      .map((line) => csvCells(line) ?? []);
    return lines.map((cells) => cells[head.indexOf(name)]);
  };

  it('have the entries of its days, both included, or between two moments', async () => {
    const { own } = await usualLedger();
    const sequences = async (query: string) =>
      columnOf((await service.get(`/api/billing/ledger/export?${query}`, own)).text, 'Sequence');
    expect(await sequences('')).toHaveLength(ENTRIES.length);
    expect(await sequences('from=2026-10-01&to=2026-10-31')).toEqual(['4', '5', '6', '7', '8']);
    expect(await sequences('to=2026-09-30')).toEqual(['1', '2', '3']);
    expect(await sequences('from=2026-11-01')).toEqual(['9']);
    expect(await sequences('from=2026-10-01T00:00:00.001Z&to=2026-10-20T08:00:00Z')).toEqual(['5']);
    expect(await sequences('from=2025-01-01&to=2025-12-31')).toEqual([]);
    expect(await sequences('from=2027-01-01')).toEqual([]);
  });

  it('have the payments that were started in it', async () => {
    const own = await organization();
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const [index, id] of ids.entries()) await payment(own, id, `2026-1${index}-01T00:00:00Z`);
    const payments = async (query: string) =>
      columnOf((await service.get(`/api/billing/history/export?${query}`, own)).text, 'Payment id');
    expect(await payments('')).toEqual(ids);
    expect(await payments('from=2026-10-01&to=2026-11-01')).toEqual(ids.slice(0, 2));
    expect(await payments('from=2026-11-02')).toEqual(ids.slice(2));
  });

  it.each([
    ['from=yesterday', 'from', 'from must be a day or a moment'],
    ['to=2026-02-31', 'to', 'to must be a day or a moment'],
    ['from=2026-11-01&to=2026-10-01', 'from', 'from must not be after to'],
    ['format=xml', 'format', 'format must be csv'],
  ])('are refused for %s by name', async (query, path, message) => {
    const own = await organization();
    for (const list of ['ledger', 'history']) {
      const { status, body } = await service.get(`/api/billing/${list}/export?${query}`, own);
      expect([status, body]).toMatchObject([422, { errors: [{ path, message }] }]);
    }
  });
});
