import type { Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { describe, expect, it } from 'vitest';
import { runsOf } from './pdf-fonts.ts';
import { receiptPdf } from './receipt.ts';

const payment: Payment = {
  id: '0193a1b2-0000-8000-8000-00000000abcd',
  amount: '199.00',
  currency: 'usd',
  creditsPurchased: 500,
  creditsReversed: 0,
  packageName: 'Professional Pack',
  provider: 'test',
  providerTxnId: 'pi_123',
  status: 'succeeded',
  failureCode: null,
  refundedAmount: '0.00',
  disputeOutcome: null,
  checkoutUrl: null,
  hasReceipt: true,
  createdAt: '2026-11-21T08:00:00.000Z',
};

const textOf = async (text: string) => (await runsOf(text)).map((run) => run.text);

describe('the fonts of a receipt', () => {
  it.each(['Larkfell Outfitters', 'Grüße & Söhne', 'Łódź', 'Привет', 'Γειά', 'Việt'])(
    'have the characters of %s',
    async (text) => {
      expect((await textOf(text)).join('')).toBe(text.normalize('NFC'));
    },
  );
  it.each(['株式会社アリス', '有限公司', '주식회사', '龍马精神'])(
    'have those of %s',
    async (text) => {
      const runs = await runsOf(text);
      expect(runs.map((run) => run.text).join('')).toBe(text);
      expect(runs.every(({ isThin }) => isThin)).toBe(true);
    },
  );
  it('are unpacked only as far as the characters require', async () => {
    expect(await textOf('Tallyhand Inc.')).toEqual(['Tallyhand Inc.']);
  });
  it('show a question mark for a character that none of them has', async () => {
    expect((await textOf('A🦆B\u{e000}')).join('')).toBe('A?B?');
  });
});

describe('a receipt', () => {
  it('is a PDF of one page, the same for the same payment', async () => {
    const receipt = { payment, organizationName: 'Larkfell 株式会社 🦆' };
    const pdf = await receiptPdf(receipt);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(await receiptPdf(receipt)).toEqual(pdf);
  });
  it('stays on one page with the longest name', async () => {
    const pdf = await receiptPdf({ payment, organizationName: 'Wörter '.repeat(29) });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);
  });
});
