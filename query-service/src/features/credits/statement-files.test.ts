import { describe, expect, it } from 'vitest';
import type { Statement } from './statement.ts';
import { PDF_LOTS_MAX, statementFile } from './statement-files.ts';

const statement = (lots: number, organizationName = 'Larkfell 株式会社'): Statement => ({
  organizationId: '0193a1b2-0000-7000-8000-000000000003',
  organizationName,
  month: '2026-10',
  head: null,
  opening: { available: 0, reserved: 0 },
  movements: [{ kind: 'purchased', entries: lots, available: lots, reserved: 0 }],
  closing: { available: lots, reserved: 0 },
  revenue: [],
  lots: Array.from({ length: lots }, (_, index) => ({
    sequence: index + 1,
    at: '2026-10-02T00:00:00.000Z',
    kind: 'purchased',
    credits: 1,
    paymentId: null,
    cents: 49,
    currency: 'usd',
    withdrawnBefore: 0,
    withdrawn: 0,
    state: {
      used: 0,
      withdrawn: 0,
      unused: 1,
      recognizedCents: 0,
      withdrawnCents: 0,
      deferredCents: 49,
    },
  })),
});
const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length;

describe('the files of a statement', () => {
  it('are the same for the same statement', async () => {
    for (const format of ['pdf', 'csv'] as const) {
      const one = await statementFile[format](statement(3));
      expect(await statementFile[format](statement(3))).toEqual(one);
      expect(await statementFile[format](statement(4))).not.toEqual(one);
    }
  });

  it('have as many pages as needed, up to a number of purchases; the CSV file has all', async () => {
    expect(pagesOf(await statementFile.pdf(statement(0)))).toBe(1);
    expect(pagesOf(await statementFile.pdf(statement(60)))).toBe(2);
    const [most, more] = [statement(PDF_LOTS_MAX), statement(PDF_LOTS_MAX + 1)];
    expect(pagesOf(await statementFile.pdf(more))).toBe(pagesOf(await statementFile.pdf(most)));
    const lines = (await statementFile.csv(more)).toString().split('\r\n');
    expect(lines.filter((line) => line.startsWith('lots,'))).toHaveLength(more.lots.length);
  });

  it('have room for the longest name', async () => {
    expect(pagesOf(await statementFile.pdf(statement(0, 'Wörter '.repeat(29))))).toBe(1);
  });
});
