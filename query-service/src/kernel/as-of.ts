import type { AsOf } from '@tallyhand/contracts/kernel/as-of';
import type { MemberEndpoint } from '@tallyhand/contracts/kernel/endpoint';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { readPlace } from '@tallyhand/read-models/features/audit/as-of';
import type { PageArguments } from '@tallyhand/read-models/kernel/read';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { QueryContext } from './context.ts';
import type { PageAsked } from './paging.ts';
import { type Call, type Options, pageOf, route } from './route.ts';
import type { ReadResult, Values } from './run-read.ts';

type Place = {
  readonly head: number;
  readonly sequence: number;
  /** The newest ledger entry at that time. */
  readonly ledger: number;
  readonly isFuture: boolean;
};

/** The place of a moment in the organization's audit log, or a refusal if it is beyond the end. */
export async function placeOf(
  { read }: Pick<Call<unknown, unknown>, 'read'>,
  { at, sequence }: AsOf,
): Promise<Place | Refusal> {
  const result = await read(readPlace, { at, sequence });
  if (isRefusal(result)) return result;
  const place = JSON.parse(result.body ?? 'null') as Place;
  if (!place.isFuture && place.sequence <= place.head) return place;
  const message = place.isFuture
    ? 'asOf must not be in the future'
    : `asOf is beyond the last entry of the audit log, which is ${place.head}`;
  return ValidationFailed({ summary: `${message}.` }, [{ path: 'asOf', message }]);
}

export type AsOfPage = PageAsked & { readonly asOf?: AsOf | undefined };

/** A list now or as of a moment; following pages keep the place of the first one. */
export function listAsOfRoute<A extends z.ZodType>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: MemberEndpoint<z.ZodUndefined, z.ZodType<AsOfPage>, z.ZodUndefined, A>,
  {
    now,
    asOf,
    ...options
  }: Options & {
    readonly now: (call: Call<unknown, AsOfPage>, page: Values<PageArguments>) => Reading;
    readonly asOf: (
      call: Call<unknown, AsOfPage>,
      page: Values<PageArguments>,
      place: Place,
    ) => Reading;
  },
): void {
  route(app, context, endpoint, options, async (call) => {
    const { reply, query } = call;
    const { path } = endpoint;
    if (query.asOf === undefined) return pageOf(call, path, (page) => now(call, page));
    const place = await placeOf(call, query.asOf);
    if (isRefusal(place)) return place;
    const pinned = { ...query, asOf: place.sequence };
    return pageOf({ query: pinned, reply }, path, (page) => asOf(call, page, place));
  });
}

type Reading = Promise<ReadResult | Refusal>;
