import { ReadableStream } from 'node:stream/web';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { QueryContext } from './context.ts';
import { type CsvColumns, csvOf } from './csv.ts';
import { type Call, type Options, route } from './route.ts';
import type { ReadResult } from './run-read.ts';

const PAGE_LENGTH = 1_000;
/** Each reads whole tables. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

type Csv<R> = Pick<Options, 'allow'> & {
  readonly fileName: string;
  readonly columns: CsvColumns<R>;
  /** Reads the rows after `last`, from the first on where it is null. */
  readonly page: (
    call: Pick<Call<unknown, unknown>, 'read'>,
    last: R | null,
    limit: number,
  ) => Promise<ReadResult | Refusal>;
};

/** A table of the caller's organization as CSV. Each page checks the sign-in and the role again. */
export function csvRoute<R>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: Endpoint<z.ZodUndefined, z.ZodType, z.ZodUndefined, z.ZodUndefined>,
  { allow, fileName, columns, page }: Csv<R>,
): void {
  route(app, context, endpoint, { allow, limit: LIMIT }, async (call) => {
    const first = await page(call, null, PAGE_LENGTH);
    if (isRefusal(first)) return first;
    const next = async (last: R) => {
      const result = await page(call, last, PAGE_LENGTH);
      // The answer has begun: all that can be done is to break it off.
      if (isRefusal(result)) throw new Error(`An export ended early: ${result.code}`);
      return rowsIn<R>(result);
    };
    const text = csvOf(columns, rowsIn<R>(first), PAGE_LENGTH, next);
    return { kind: 'file', fileName, body: ReadableStream.from(text) };
  });
}

const rowsIn = <R>({ body }: ReadResult) => JSON.parse(body ?? '[]') as readonly R[];
