import { buffer } from 'node:stream/consumers';
import type { Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { GREY, MARGIN, newDocument, rule, WIDTH, write } from './pdf-text.ts';

export type Receipt = { readonly payment: Payment; readonly organizationName: string };

/** The receipt of a payment as PDF, on one page. The same payment gives the same document. */
export async function receiptPdf({ payment, organizationName }: Receipt): Promise<Buffer> {
  const number = receiptNumber(payment);
  const doc = newDocument(`Receipt ${number}`, payment.createdAt);
  const content = buffer(doc);
  await write(doc, 'Tallyhand', { size: 13, y: MARGIN });
  await write(doc, 'Receipt', { size: 24, y: 104 });
  let y = 160;
  for (const [name, value] of factsOf(payment, organizationName, number)) {
    await write(doc, name, { color: GREY, y });
    y += await write(doc, value, { x: 150, y });
  }
  y = await writeItem(doc, payment, y + 28);
  for (const note of notesOf(payment)) y += await write(doc, note, { color: GREY, y });
  doc.end();
  return content;
}

const PROVIDER_NAMES: Readonly<Record<Payment['provider'], string>> = {
  stripe: 'Stripe',
  test: 'Test provider',
};

export const receiptNumber = ({ id }: Pick<Payment, 'id'>) => id.slice(-12).toUpperCase();

function factsOf(payment: Payment, organizationName: string, number: string) {
  const date = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
  const facts: [string, string][] = [
    ['Receipt number', number],
    ['Date', date.format(new Date(payment.createdAt))],
    ['Billed to', organizationName],
    ['Paid with', PROVIDER_NAMES[payment.provider]],
    ['Transaction', payment.providerTxnId ?? '-'],
  ];
  return facts;
}

/** One line for what was bought, one for what was paid. */
async function writeItem(doc: PDFKit.PDFDocument, payment: Payment, top: number) {
  const amount = `${payment.currency.toUpperCase()} ${payment.amount}`;
  const credits = new Intl.NumberFormat('en').format(payment.creditsPurchased);
  rule(doc, top);
  await write(doc, `${payment.packageName}, ${credits} credits`, { y: top + 14 });
  await write(doc, amount, { y: top + 14, right: WIDTH });
  rule(doc, top + 42);
  await write(doc, 'Total paid', { size: 12, y: top + 56 });
  await write(doc, amount, { size: 12, y: top + 56, right: WIDTH });
  return top + 100;
}

function notesOf({ provider, refundedAmount, currency, disputeOutcome }: Payment): string[] {
  const notes: string[] = [];
  if (Number(refundedAmount) > 0) {
    notes.push(`Of this, ${currency.toUpperCase()} ${refundedAmount} was refunded.`);
  }
  if (disputeOutcome === 'open') notes.push('This payment is currently disputed.');
  if (disputeOutcome === 'lost') notes.push('This payment was disputed and reversed.');
  if (provider === 'test') notes.push('Test mode: no card was charged.');
  return notes;
}
