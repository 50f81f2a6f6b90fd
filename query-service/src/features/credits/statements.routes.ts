import {
  exportStatement,
  getStatementPdf,
  getStatementSignature,
  listStatements,
  type StatementFormat,
} from '@tallyhand/contracts/features/credits/statements.endpoints';
import {
  StatementNotReady,
  StatementNotSigned,
} from '@tallyhand/contracts/features/credits/statements.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readCreditLots,
  readLedgerSums,
  readStatementPeriod,
  readStatementsBeginning,
} from '@tallyhand/read-models/features/credits/statements';
import { SignerUnavailable } from '@tallyhand/service-kit/audit-bundle/signer';
import { signStatement } from '@tallyhand/service-kit/audit-bundle/statement';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { type Call, route } from '../../kernel/route.ts';
import { type CreditLot, type LedgerSum, type Statement, statementOf } from './statement.ts';
import { monthNamed, refusalOfMonth, statementMonths } from './statement-months.ts';

/** Each call reads a ledger up to the end of the month. */
const LIMIT = { max: 30, timeWindow: '1 minute' };
/** Entries that one statement to the database reads. */
const ENTRIES_AT_ONCE = 100_000;

type Reader = Pick<Call<unknown, unknown>, 'read'>;

export function statementsRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listStatements, async ({ read }) => {
    const found = await read(readStatementsBeginning, {});
    if (isRefusal(found)) return found;
    const { registeredAt } = JSON.parse(found.body ?? '{}') as { registeredAt?: string };
    const months = registeredAt === undefined ? [] : statementMonths(registeredAt, new Date());
    return { kind: 'rows', body: JSON.stringify(months) };
  });
  route(app, context, exportStatement, { limit: LIMIT }, (call) => fileOf(call, 'csv'));
  route(app, context, getStatementPdf, { limit: LIMIT }, (call) => fileOf(call, 'pdf'));
  route(app, context, getStatementSignature, { limit: LIMIT }, async (call) => {
    const { month, format } = call.query;
    const statement = await readStatement(call, month);
    if (isRefusal(statement)) return statement;
    const content = await contentOf(statement, format);
    const { organizationId } = statement;
    try {
      const { signer } = await context.auditSigning.current();
      const signed = await signStatement(signer, { organizationId, month, format, content });
      return { kind: 'rows', body: JSON.stringify(signed) };
    } catch (error) {
      if (!(error instanceof SignerUnavailable)) throw error;
      context.settings.log.error('a statement was not signed', errorFields(error));
      return StatementNotSigned({});
    }
  });
}

async function fileOf(call: Call<unknown, { readonly month: string }>, format: StatementFormat) {
  const { month } = call.query;
  const statement = await readStatement(call, month);
  if (isRefusal(statement)) return statement;
  const body = await contentOf(statement, format);
  return { kind: 'file', fileName: `statement-${month}.${format}`, body } as const;
}

/** Fonts and the library for PDF files are loaded with the first statement. */
async function contentOf(statement: Statement, format: StatementFormat): Promise<Buffer> {
  const { statementFile } = await import('./statement-files.ts');
  return statementFile[format](statement);
}

type Period = {
  readonly organizationId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly opening: number;
  readonly closing: number;
  readonly hash: string | null;
  readonly isReady: boolean;
};

async function readStatement({ read }: Reader, asked: string): Promise<Statement | Refusal> {
  const month = monthNamed(asked);
  const found = await read(readStatementPeriod, { from: month.startsAt, until: month.endsAt });
  if (isRefusal(found)) return found;
  if (found.body === null) return StatementNotReady({});
  const period = JSON.parse(found.body) as Period;
  const refused = refusalOfMonth(month, period.registeredAt, new Date());
  if (refused) return refused;
  if (!period.isReady) return StatementNotReady({});
  const { opening, closing, hash } = period;
  const before: LedgerSum[] = [];
  const during: LedgerSum[] = [];
  const lots: CreditLot[] = [];
  for (const { after, until } of partsOf(opening, closing)) {
    const [sums, added] = await Promise.all([
      rowsOf<LedgerSum>(read(readLedgerSums, { after, until })),
      rowsOf<CreditLot>(read(readCreditLots, { after, until, opening, closing })),
    ]);
    if (isRefusal(sums)) return sums;
    if (isRefusal(added)) return added;
    (until <= opening ? before : during).push(...sums);
    lots.push(...added);
  }
  // The payments have a projection of their own.
  if (lots.some(({ kind, cents }) => kind === 'purchased' && cents === null)) {
    return StatementNotReady({});
  }
  const entries = [...before, ...during].reduce((sum, each) => sum + each.entries, 0);
  if (entries !== closing) throw new Error(`A ledger of ${closing} entries has ${entries} rows`);
  return statementOf({
    organizationId: period.organizationId,
    organizationName: period.name,
    month: asked,
    head: hash === null ? null : { sequence: closing, hash },
    openingSequence: opening,
    before,
    during,
    lots,
  });
}

/** The entries up to `closing` in parts, none of which is on both sides of `opening`. */
function* partsOf(opening: number, closing: number) {
  for (let after = 0; after < closing; ) {
    const end = after < opening ? opening : closing;
    const until = Math.min(after + ENTRIES_AT_ONCE, end);
    yield { after, until };
    after = until;
  }
}

async function rowsOf<R>(result: ReturnType<Reader['read']>): Promise<readonly R[] | Refusal> {
  const found = await result;
  return isRefusal(found) ? found : (JSON.parse(found.body ?? '[]') as R[]);
}
