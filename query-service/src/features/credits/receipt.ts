import { buffer } from 'node:stream/consumers';
import type { Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import PDFDocument from 'pdfkit';
import { runsOf } from './receipt-fonts.ts';

export type Receipt = { readonly payment: Payment; readonly organizationName: string };

const INK = '#111827';
const GREY = '#5b6472';
const LINE = '#d8dce3';
const MARGIN = 56;
/** A4 in points. */
const WIDTH = 595.28 - 2 * MARGIN;
const BODY = 10;

/** The receipt of a payment as PDF, on one page. The same payment gives the same document. */
export async function receiptPdf({ payment, organizationName }: Receipt): Promise<Buffer> {
  const number = receiptNumber(payment);
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: `Receipt ${number}`,
      Author: 'Tallyhand',
      CreationDate: new Date(payment.createdAt),
      ModDate: new Date(payment.createdAt),
    },
  });
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
  await write(doc, amount, { y: top + 14, align: 'right' });
  rule(doc, top + 42);
  await write(doc, 'Total paid', { size: 12, y: top + 56 });
  await write(doc, amount, { size: 12, y: top + 56, align: 'right' });
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

function rule(doc: PDFKit.PDFDocument, y: number) {
  const right = MARGIN + WIDTH;
  doc.moveTo(MARGIN, y).lineTo(right, y).lineWidth(0.75).strokeColor(LINE).stroke();
}

type Style = {
  readonly y: number;
  readonly x?: number;
  readonly size?: number;
  readonly color?: string;
  readonly align?: 'right';
};

/** Writes a text from `x`, wrapped; returns its height. */
async function write(
  doc: PDFKit.PDFDocument,
  text: string,
  { x = 0, y, size = BODY, color = INK, align }: Style,
): Promise<number> {
  const height = size * 1.8;
  const pieces = await piecesOf(doc, text, size);
  const width = pieces.reduce((sum, piece) => sum + piece.width, 0);
  let left = align === 'right' ? WIDTH - width : x;
  let line = y;
  for (const { piece, font, isThin, width: own } of pieces) {
    if (left + own > WIDTH + 0.01 && left > x) {
      left = x;
      line += height;
    }
    doc
      .font(font)
      .fontSize(size)
      .fillColor(color)
      .strokeColor(color)
      .lineWidth(size / 45);
    doc.text(piece, MARGIN + left, line, { lineBreak: false, stroke: isThin, fill: true });
    left += own;
  }
  return line - y + height;
}

/**
 * The unbreakable pieces of a text: words with their space, or characters of scripts without
 * spaces.
 */
async function piecesOf(doc: PDFKit.PDFDocument, text: string, size: number) {
  const runs = await runsOf(text);
  return runs.flatMap(({ text: part, font, name, isThin }) => {
    doc.registerFont(name, font);
    const words = isThin ? [...part] : part.split(/(?<=[\s-])/);
    return words.map((piece) => {
      const width = doc.font(name).fontSize(size).widthOfString(piece);
      return { piece, font: name, isThin, width };
    });
  });
}
