import {
  type AuditEntry,
  type AuditFilter,
  getMemberHistory,
  getOrganizationHistory,
  getTaskHistory,
  type LoggedEvent,
  type LogPage,
  listAuditEntries,
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { meantBy } from '@tallyhand/contracts/features/audit/audit-filter';
import { listDeletions } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { LIST_LENGTH_MAX, type Order } from '@tallyhand/contracts/kernel/lists';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readAuditEntries,
  readRecordedEvents,
} from '@tallyhand/read-models/features/audit/audit-log.tables';
import { readDeletions } from '@tallyhand/read-models/features/audit/history.tables';
import { readOrganization } from '@tallyhand/read-models/features/organizations/organizations.tables';
import { searchQuery } from '@tallyhand/service-kit/audit-words';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { QueryContext } from '../../kernel/context.ts';
import { cursorOfOtherOrder } from '../../kernel/paging.ts';
import { type Call, pageOf, route } from '../../kernel/route.ts';
import { entryOf, type StoredEntry } from './audit-changes.ts';

/** A page of events ends after about this many bytes. */
const EVENTS_BYTES_MAX = 4 * 1024 * 1024;

export function auditRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listAuditEntries, async (call) => {
    const { cursor, limit, ...filter } = call.query;
    const entries = await entriesOf(call, listAuditEntries.path, filter, filter);
    return isRefusal(entries) ? entries : { kind: 'rows', body: JSON.stringify(entries) };
  });
  historyRoute(app, context, getTaskHistory, 'task');
  historyRoute(app, context, getMemberHistory, 'member');
  route(app, context, getOrganizationHistory, async (call) => {
    const own = await call.read(readOrganization, {});
    if (isRefusal(own) || own.body === null) return own;
    const { id } = JSON.parse(own.body) as { readonly id: string };
    return loggedEvents(call, getOrganizationHistory.path, { kind: 'organization', id });
  });
  route(app, context, listRecordedEvents, async (call) => {
    const { after, limit = LIST_LENGTH_MAX, kind } = call.query;
    const { category, type } = meantBy({ kind });
    const values = { after, category, type, limit, bytes: EVENTS_BYTES_MAX };
    const result = await call.read(readRecordedEvents, values);
    if (isRefusal(result) || result.body === null) return result;
    const { head, events } = JSON.parse(result.body) as Recorded;
    if (after > head) return beyondTheEnd(head);
    // When no event of the kind is left, the reader continues after the end of the log.
    const last = events.at(-1)?.sequence ?? head;
    const query = { after: String(last), limit: String(limit), kind };
    call.reply.header('link', nextLink(listRecordedEvents.path, query));
    return { kind: 'rows', body: JSON.stringify(events) };
  });
}

/** The history of one object, which has at least one entry. */
function historyRoute(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: typeof getTaskHistory,
  kind: 'task' | 'member',
) {
  route(app, context, endpoint, { what: kind }, async (call) => {
    const { id } = call.params;
    const result = await loggedEvents(call, pathOf(endpoint, { id }), { kind, id });
    const isNone = !isRefusal(result) && result.body === '[]' && call.query.cursor === undefined;
    return isNone ? { kind: 'rows', body: null } : result;
  });
}

type PageCall = Call<unknown, z.infer<typeof LogPage> & { readonly order?: Order | undefined }>;

/**
 * The entries about one object, without addresses. Access depends on the kind, so an id of another
 * kind finds nothing.
 */
async function loggedEvents(
  call: PageCall,
  path: string,
  { kind, id }: { readonly kind: string; readonly id: string },
) {
  const isOfKind = ({ object }: AuditEntry) => object.kind === kind;
  const entries = await entriesOf(call, path, { object: id }, {}, isOfKind);
  if (isRefusal(entries)) return entries;
  const events: LoggedEvent[] = entries.map(({ address: _, signInId: __, ...event }) => event);
  return { kind: 'rows' as const, body: JSON.stringify(events) };
}

/**
 * A page of matches, with the Link header; `asked` is the query. `isSeen` holds for all matches or
 * for none.
 */
async function entriesOf(
  { read, reply, query }: PageCall,
  path: string,
  filter: Filter,
  asked: Filter,
  isSeen: (entry: AuditEntry) => boolean = () => true,
) {
  const { cursor, limit = LIST_LENGTH_MAX, order = 'newest' } = query;
  const cursorOrder = cursor?.startsWith(OLDEST_MARK) ? 'oldest' : 'newest';
  if (cursor !== undefined && cursorOrder !== order) return cursorOfOtherOrder();
  const beyond = cursor === undefined ? null : Number(cursor.replace(OLDEST_MARK, ''));
  const result = await read(readAuditEntries[order], { ...valuesOf(filter), beyond, limit });
  if (isRefusal(result)) return result;
  const found = JSON.parse(result.body ?? '[]') as StoredEntry[];
  const entries = found.map(entryOf).filter(isSeen);
  const last = entries.at(-1);
  if (last && entries.length === limit) {
    const mark = order === 'oldest' ? OLDEST_MARK : '';
    const next = { ...asked, limit: String(limit), cursor: `${mark}${last.sequence}` };
    reply.header('link', nextLink(path, next));
  }
  return entries;
}

/** The prefix of a cursor for the order `oldest`. */
const OLDEST_MARK = 'oldest.';

type Recorded = { readonly head: number; readonly events: readonly RecordedEvent[] };
type Filter = { readonly [K in keyof typeof AuditFilter]?: string | undefined };

function valuesOf({ from, to, actor, kind, object, q }: Filter) {
  const { actorId, actorKind, category, type } = meantBy({ actor, kind });
  return {
    from: from ?? null,
    to: to ?? null,
    object: object ?? null,
    actor_id: actorId,
    actor_kind: actorKind,
    category,
    type,
    words: q?.trim() ? searchQuery(q) : null,
  };
}

function nextLink(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `<${path}?${new URLSearchParams(given)}>; rel="next"`;
}

function beyondTheEnd(head: number) {
  const message = `after is beyond the last event, which is ${head}`;
  return ValidationFailed({ summary: `${message}.` }, [{ path: 'after', message }]);
}

export function historyRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listDeletions, (call) =>
    pageOf(call, listDeletions.path, (page) =>
      call.read(readDeletions, { kind: call.query.kind ?? null, ...page }),
    ),
  );
}
