import { buffer } from 'node:stream/consumers';
import { centsText } from '@tallyhand/contracts/features/credits/credits.prices';
import type { StatementFormat } from '@tallyhand/contracts/features/credits/statements.endpoints';
import { type Cell, csvLine } from '@tallyhand/service-kit/csv';
import { GREY, MARGIN, newDocument, PAGE_END, rule, WIDTH, write } from './pdf-text.ts';
import type { CreditLot, Movement, Revenue, Statement } from './statement.ts';

/** The PDF lists so many lots; the CSV file has all. */
export const PDF_LOTS_MAX = 500;

/** The same statement gives the same bytes. */
export const statementFile: Readonly<
  Record<StatementFormat, (statement: Statement) => Promise<Buffer>>
> = {
  csv: async (statement) => Buffer.from(linesOf(statement).map(csvLine).join('')),
  pdf: statementPdf,
};

const COLUMNS = [
  'Section',
  'Item',
  'Text',
  'Time',
  'Entry',
  'Entries',
  'Available',
  'Reserved',
  'Credits',
  'Used',
  'Withdrawn',
  'Unused',
  'Currency',
  'Amount',
  'Deferred',
] as const;
type Line = Readonly<Partial<Record<(typeof COLUMNS)[number], Cell>>>;

function linesOf(statement: Statement): Cell[][] {
  const { organizationId, organizationName, month, head, opening, closing } = statement;
  const about = (Item: string, Text: Cell): Line => ({ Section: 'about', Item, Text });
  const balance = (Item: string, { available, reserved }: typeof opening): Line => ({
    Section: 'credits',
    Item,
    Available: available,
    Reserved: reserved,
  });
  const lines: Line[] = [
    about('organization', organizationName),
    about('organization-id', organizationId),
    about('month', month),
    { ...about('ledger-head', head?.hash ?? null), Entry: head?.sequence ?? 0 },
    balance('opening', opening),
    ...statement.movements.map(
      ({ kind, entries, ...change }): Line => ({ ...balance(kind, change), Entries: entries }),
    ),
    balance('closing', closing),
    ...statement.revenue.flatMap(({ currency, ...figures }) =>
      REVENUE.map(
        ([figure]): Line => ({
          Section: 'revenue',
          Item: figure,
          Currency: currency,
          Amount: centsText(figures[figure]),
        }),
      ),
    ),
    ...statement.lots.map(({ kind, at, sequence, paymentId, credits, state, ...paid }): Line => {
      const { cents, currency } = paid;
      return {
        Section: 'lots',
        Item: kind,
        Text: paymentId,
        Time: at,
        Entry: sequence,
        Credits: credits,
        Used: state.used,
        Withdrawn: state.withdrawn,
        Unused: state.unused,
        Currency: currency,
        Amount: cents === null ? null : centsText(cents),
        Deferred: cents === null ? null : centsText(state.deferredCents),
      };
    }),
  ];
  return [[...COLUMNS], ...lines.map((line) => COLUMNS.map((column) => line[column]))];
}

const REVENUE: readonly (readonly [Exclude<keyof Revenue, 'currency'>, string])[] = [
  ['deferredOpening', 'Deferred revenue at the beginning'],
  ['purchases', 'Purchases'],
  ['withdrawn', 'Withdrawn by refunds and disputes'],
  ['recognized', 'Revenue of used credits'],
  ['deferredClosing', 'Deferred revenue at the end'],
];

const MOVEMENT_NAMES: Readonly<Record<Movement['kind'], string>> = {
  granted: 'Promotions',
  purchased: 'Purchases',
  reserved: 'Reserved for work',
  charged: 'Charges',
  released: 'Releases',
  expired: 'Expired reservations',
  refunded: 'Refunded charges',
  reversed: 'Withdrawn by refunds and disputes',
  reinstated: 'Reinstated',
  adjusted: 'Adjustments',
};

const LOT_NAMES: Readonly<Record<CreditLot['kind'], string>> = {
  granted: 'Promotion',
  purchased: 'Purchase',
  adjusted: 'Adjustment',
};

const number = (value: number) => new Intl.NumberFormat('en').format(value);
const money = (cents: number) =>
  new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(cents / 100);
const monthName = new Intl.DateTimeFormat('en', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

const SMALL = 8;
const ROW = 17;

/** Writes rows from the top of a page to its end, and continues on the next page. */
class Sheet {
  readonly #doc: PDFKit.PDFDocument;
  #y = MARGIN;

  constructor(doc: PDFKit.PDFDocument) {
    this.#doc = doc;
  }

  space(height: number) {
    this.#y += height;
  }

  /** Keeps the next `height` points on one page; true if a new page began. */
  reserve(height: number): boolean {
    if (this.#y + height <= PAGE_END) return false;
    this.#doc.addPage();
    this.#y = MARGIN;
    return true;
  }

  async text(text: string, style: { size?: number; color?: string; x?: number } = {}) {
    this.#y += await write(this.#doc, text, { ...style, y: this.#y });
  }

  async fact(name: string, value: string) {
    await write(this.#doc, name, { color: GREY, y: this.#y });
    await this.text(value, { x: 130 });
  }

  async heading(title: string) {
    this.reserve(90);
    this.space(16);
    await this.text(title, { size: 13 });
    this.space(4);
  }

  /**
   * A table whose first cells are on the left, while the others end at `edges`. Its head is repeated
   * on each page.
   */
  async table(edges: readonly number[], head: readonly string[], rows: readonly string[][]) {
    await this.#row(edges, head, { size: SMALL, color: GREY });
    for (const row of rows) {
      if (this.reserve(ROW)) await this.#row(edges, head, { size: SMALL, color: GREY });
      await this.#row(edges, row, { size: 9 });
    }
  }

  async #row(
    edges: readonly number[],
    [first = '', ...others]: readonly string[],
    style: { readonly size: number; readonly color?: string },
  ) {
    await write(this.#doc, first, { ...style, y: this.#y });
    for (const [index, cell] of others.entries()) {
      await write(this.#doc, cell, { ...style, y: this.#y, right: edges[index] ?? WIDTH });
    }
    this.#y += ROW;
    rule(this.#doc, this.#y - 2);
  }
}

const CREDIT_EDGES = [300, 392, WIDTH];
const LOT_EDGES = [180, 232, 292, 344, 414, WIDTH];

async function statementPdf(statement: Statement): Promise<Buffer> {
  const { organizationId, organizationName, month, head, revenue } = statement;
  const startsAt = `${month}-01T00:00:00.000Z`;
  const doc = newDocument(`Statement ${month}`, startsAt);
  const content = buffer(doc);
  const sheet = new Sheet(doc);
  await sheet.text('Tallyhand', { size: 13 });
  sheet.space(10);
  await sheet.text('Statement', { size: 24 });
  sheet.space(8);
  await sheet.fact('Month', `${monthName.format(new Date(startsAt))} (UTC)`);
  await sheet.fact('Organization', organizationName);
  await sheet.fact('Organization id', organizationId);
  await sheet.fact('Last ledger entry', head ? number(head.sequence) : 'None');
  if (head) {
    await sheet.fact('Hash of the entry', head.hash.slice(0, 32));
    await sheet.text(head.hash.slice(32), { x: 130 });
  }
  await writeCredits(sheet, statement);
  for (const figures of revenue) await writeRevenue(sheet, figures);
  await writeLots(sheet, statement);
  sheet.reserve(60);
  sheet.space(12);
  await sheet.text('The oldest credits count as used first.', { size: SMALL, color: GREY });
  await sheet.text('Promotions and adjustments carry no money.', { size: SMALL, color: GREY });
  doc.end();
  return content;
}

async function writeCredits(sheet: Sheet, { opening, movements, closing }: Statement) {
  await sheet.heading('Credits');
  const row = (name: string, entries: string, { available, reserved }: typeof opening) => [
    name,
    entries,
    number(available),
    number(reserved),
  ];
  await sheet.table(
    CREDIT_EDGES,
    ['', 'Entries', 'Available', 'Reserved'],
    [
      row('Opening balance', '', opening),
      ...movements.map(({ kind, entries, ...change }) =>
        row(MOVEMENT_NAMES[kind], number(entries), change),
      ),
      row('Closing balance', '', closing),
    ],
  );
}

async function writeRevenue(sheet: Sheet, { currency, ...figures }: Revenue) {
  await sheet.heading('Revenue');
  const rows = REVENUE.map(([figure, name]) => [name, money(figures[figure])]);
  await sheet.table([WIDTH], ['', currency.toUpperCase()], rows);
}

async function writeLots(sheet: Sheet, { lots }: Statement) {
  if (lots.length === 0) return;
  await sheet.heading('Credits by purchase, at the end of the month');
  await sheet.table(
    LOT_EDGES,
    ['Added', 'Credits', 'Used', 'Withdrawn', 'Unused', 'Paid', 'Deferred'],
    lots
      .slice(0, PDF_LOTS_MAX)
      .map(({ kind, at, credits, cents, state }) => [
        `${at.slice(0, 10)} ${LOT_NAMES[kind]}`,
        ...[credits, state.used, state.withdrawn, state.unused].map(number),
        ...(cents === null ? ['-', '-'] : [cents, state.deferredCents].map(money)),
      ]),
  );
  if (lots.length <= PDF_LOTS_MAX) return;
  sheet.reserve(ROW);
  await sheet.text(`${number(lots.length - PDF_LOTS_MAX)} more are in the CSV file.`, {
    size: SMALL,
    color: GREY,
  });
}
