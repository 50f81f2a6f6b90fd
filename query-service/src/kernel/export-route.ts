import { ReadableStream } from 'node:stream/web';
import type { MemberEndpoint } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { QueryContext } from './context.ts';
import { type CsvColumns, csvOf, pagesOf, type RowPage } from './csv.ts';
import { type PageValues, pageAfter } from './paging.ts';
import { type Call, route } from './route.ts';
import type { ReadResult } from './run-read.ts';

const PAGE_LENGTH = 1_000;
/** Each call reads whole tables. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

type Format = 'csv' | 'json';

type PageReader = (page: PageValues) => Promise<ReadResult | Refusal>;

type Export<R, Q> = {
  /** Without extension, which follows from the format. */
  readonly fileName: string;
  readonly columns: CsvColumns<R>;
  /** Called once, and may read what all pages need. */
  readonly pages: (call: Pick<Call<unknown, Q>, 'read' | 'query'>) => Promise<PageReader | Refusal>;
};

/** A table of the caller's organization as a file. Each page checks sign-in and role again. */
export function exportRoute<R, Q extends { readonly format: Format }>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: MemberEndpoint<z.ZodUndefined, z.ZodType<Q>, z.ZodUndefined, z.ZodUndefined>,
  { fileName, columns, pages: pagesFor }: Export<R, Q>,
): void {
  route(app, context, endpoint, { limit: LIMIT }, async (call) => {
    const read = await pagesFor(call);
    if (isRefusal(read)) return read;
    const first = await read(pageAfter(null, PAGE_LENGTH));
    if (isRefusal(first)) return first;
    const pages = pagesOf(rowsIn<R>(first), async (key) => {
      const result = await read(pageAfter(key, PAGE_LENGTH));
      // The response has started: it can only be aborted.
      if (isRefusal(result)) throw new Error(`An export ended early: ${result.code}`);
      return rowsIn<R>(result);
    });
    const { format } = call.query;
    return {
      kind: 'file',
      fileName: `${fileName}.${format}`,
      media: format === 'json' ? 'application/json' : 'text/csv',
      body: ReadableStream.from(format === 'json' ? jsonOf(pages) : csvOf(columns, pages)),
    };
  });
}

const rowsIn = <R>({ body, next }: ReadResult): RowPage<R> => ({
  rows: JSON.parse(body ?? '[]'),
  next: next ?? null,
});

/** A JSON list with one row per line. */
async function* jsonOf(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of pages) {
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
