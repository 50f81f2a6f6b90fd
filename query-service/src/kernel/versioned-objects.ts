import type { AsOfQuery } from '@tallyhand/contracts/kernel/as-of';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { type MemberEndpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { DEFAULT_SORT } from '@tallyhand/contracts/kernel/lists';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { readHistory } from '@tallyhand/read-models/features/audit/history.tables';
import { camel } from '@tallyhand/read-models/kernel/columns';
import type { VersionedObject } from '@tallyhand/read-models/kernel/versioned-object';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { type AsOfPage, listAsOfRoute, placeOf } from './as-of.ts';
import type { QueryContext } from './context.ts';
import type { PageAsked } from './paging.ts';
import { type Call, pageOf, route } from './route.ts';

type Id = z.ZodType<{ id: string }>;
type ListCall = Call<unknown, AsOfPage>;
type Endpoints<L extends z.ZodType, O extends z.ZodType> = {
  readonly list: MemberEndpoint<z.ZodUndefined, z.ZodType<AsOfPage>, z.ZodUndefined, L>;
  readonly get: MemberEndpoint<Id, typeof AsOfQuery, z.ZodUndefined, O>;
  readonly history: MemberEndpoint<
    Id,
    z.ZodType<PageAsked>,
    z.ZodUndefined,
    z.ZodArray<typeof HistoryEntry>
  >;
};

/** The reads of versioned objects: list, one and history, now and as of a moment. */
export function versionedObjectRoutes<L extends z.ZodType, O extends z.ZodType>(
  app: FastifyInstance,
  context: QueryContext,
  { kind, filters, ...reads }: VersionedObject,
  { list, get, history }: Endpoints<L, O>,
): void {
  const options = { what: kind };
  listAsOfRoute(app, context, list, {
    ...options,
    now: ({ read, query }, page) =>
      read(reads.sorted[query.sort ?? DEFAULT_SORT], { ...valuesOf(query, filters), ...page }),
    async asOf({ read, query }, page, { sequence }) {
      return notAsOf(query, filters) ?? read(reads.listAsOf, { ...page, sequence });
    },
  });
  route(app, context, get, options, async (call) => {
    const { id } = call.params;
    if (call.query.asOf === undefined) return call.read(reads.one, { id });
    const place = await placeOf(call, call.query.asOf);
    if (isRefusal(place)) return place;
    return call.read(reads.oneAsOf, { id, sequence: place.sequence });
  });
  // Deleted objects have a history too, from which they can be restored.
  route(app, context, history, options, async (call) => {
    const { id } = call.params;
    const result = await pageOf(call, pathOf(history, { id }), (page) =>
      call.read(readHistory, { object_kind: kind, object_id: id, ...page }),
    );
    // Every object has at least its creation as an entry.
    const isNone = !isRefusal(result) && result.body === '[]' && call.query.cursor === undefined;
    return isNone ? { kind: 'rows', body: null } : result;
  });
}

/** The filters of the query; empty texts filter nothing. */
function valuesOf(query: ListCall['query'], filters: readonly string[]) {
  const asked = query as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(filters.map((name) => [name, asked[camel(name)] || null]));
}

/** Objects as they were are computed from the log, which has no filters and one order. */
function notAsOf(query: ListCall['query'], filters: readonly string[]): Refusal | null {
  const path = ['sort', ...filters.map(camel)].find((name) => name in query);
  if (path === undefined) return null;
  const message = `${path} cannot be combined with asOf`;
  return ValidationFailed({ summary: `${message}.` }, [{ path, message }]);
}
