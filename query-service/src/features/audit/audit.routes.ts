import {
  type AuditFilter,
  listAuditEntries,
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { ADMINS } from '@tallyhand/contracts/features/identity/role';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readAuditEntries,
  readRecordedEvents,
} from '@tallyhand/read-models/features/audit/audit-log.tables';
import { searchQuery } from '@tallyhand/service-kit/audit-words';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { QueryContext } from '../../kernel/context.ts';
import { route } from '../../kernel/route.ts';

/** A page of events is broken off after about as much. */
const EVENTS_BYTES_MAX = 4 * 1024 * 1024;

export function auditRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listAuditEntries, { allow: ADMINS }, async (call) => {
    const { cursor, limit = LIST_LENGTH_MAX, ...filter } = call.query;
    const before = cursor === undefined ? null : Number(cursor);
    const result = await call.read(readAuditEntries, { ...found(filter), before, limit });
    if (isRefusal(result) || result.body === null) return result;
    const rows = sequencesIn(result.body);
    const last = rows.at(-1);
    if (last !== undefined && rows.length === limit) {
      const query = { ...filter, limit: String(limit), cursor: String(last) };
      call.reply.header('link', nextLink(listAuditEntries.path, query));
    }
    return result;
  });
  route(app, context, listRecordedEvents, { allow: ADMINS }, async (call) => {
    const { after, limit = LIST_LENGTH_MAX, kind } = call.query;
    const values = { after, ...byKind(kind), limit, bytes: EVENTS_BYTES_MAX };
    const result = await call.read(readRecordedEvents, values);
    if (isRefusal(result) || result.body === null) return result;
    const { head, events } = JSON.parse(result.body) as Recorded;
    if (after > head) return beyondTheEnd(head);
    // Where nothing is left that is of the kind, the reader goes on after what there is.
    const last = events.at(-1)?.sequence ?? head;
    const query = { after: String(last), limit: String(limit), kind };
    call.reply.header('link', nextLink(listRecordedEvents.path, query));
    return { kind: 'rows', body: JSON.stringify(events) };
  });
}

type Recorded = { readonly head: number; readonly events: readonly RecordedEvent[] };
type Filter = { readonly [K in keyof typeof AuditFilter]?: string | undefined };

function found({ from, to, actor, kind, object, q }: Filter) {
  const isPerson = z.uuid().safeParse(actor).success;
  return {
    ...{ from: from ?? null, to: to ?? null, object: object ?? null },
    ...{
      actor_id: isPerson ? (actor ?? null) : null,
      actor_kind: isPerson ? null : (actor ?? null),
    },
    ...byKind(kind),
    words: q?.trim() ? searchQuery(q) : null,
  };
}

/** Types of events begin with a capital letter. */
const byKind = (kind: string | undefined) => {
  const isType = kind !== undefined && /^[A-Z]/.test(kind);
  return { category: isType ? null : (kind ?? null), type: isType ? kind : null };
};

const sequencesIn = (body: string) =>
  (JSON.parse(body) as { readonly sequence: number }[]).map(({ sequence }) => sequence);

function nextLink(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `<${path}?${new URLSearchParams(given)}>; rel="next"`;
}

function beyondTheEnd(head: number) {
  const message = `after is beyond the last event, which is ${head}`;
  return ValidationFailed({ summary: `${message}.` }, [{ path: 'after', message }]);
}
