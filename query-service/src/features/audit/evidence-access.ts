import type { RecordedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { meantBy } from '@tallyhand/contracts/features/audit/audit-filter';
import type { Member } from '@tallyhand/contracts/features/team/team.endpoints';
import { lesserRole } from '@tallyhand/contracts/kernel/access';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import {
  readAuditEntries,
  readRecordedEvents,
} from '@tallyhand/read-models/features/audit/audit-log.tables';
import { readMembers } from '@tallyhand/read-models/features/team/team.tables';
import { pageValues } from '../../kernel/paging.ts';
import type { Call } from '../../kernel/route.ts';
import type { ReadResult } from '../../kernel/run-read.ts';
import type { StoredEntry } from './audit-changes.ts';
import type { Access } from './evidence-files.ts';

/** A page of events ends after about this many bytes. */
const EVENTS_BYTES_MAX = 4 * 1024 * 1024;

export type Reader = Pick<Call<unknown, unknown>, 'read'>;
/** The end of the period, and the number of entries of the log that count. */
type End = { readonly until: string; readonly size: number };
type Known = Omit<Access, 'lastUse'> & { readonly isActive: boolean };

/** Who had access when the period ended, from the events up to then. */
export async function* accessAtEnd(call: Reader, end: End): AsyncGenerator<Access> {
  const known = await knownAccess(call, end);
  for (const { isActive, ...one } of known.values()) {
    const member = memberBehind(known, one);
    if (!isActive || isOver(one.until, end) || !member?.isActive) continue;
    const role = lesserRole(one.role, member.role);
    if (role === null || isOver(member.until, end)) continue;
    yield { ...one, role, lastUse: await lastUseOf(call, end, one) };
  }
}

/** The member who made a key, also by other keys; a member is their own. */
function memberBehind(
  known: ReadonlyMap<string, Known>,
  { id }: Pick<Access, 'id'>,
): Known | undefined {
  const one = known.get(id);
  return one?.kind === 'api-key' ? memberBehind(known, { id: one.createdBy ?? '' }) : one;
}

async function knownAccess(call: Reader, end: End): Promise<ReadonlyMap<string, Known>> {
  const people = await membersOf(call);
  const access = new Map<string, Known>();
  const change = (id: unknown, entry: number, changed: Partial<Known>) => {
    const known = access.get(String(id));
    if (known) access.set(known.id, { ...known, ...changed, entry });
  };
  for await (const event of eventsOf(call, end, 'organization')) {
    const { sequence, type, at, data } = event;
    const given = { role: data.role as Role, until: (data.lastDay as string | null) ?? null };
    if (type === 'MemberJoined') {
      const id = String(data.userId);
      const { username = null, email = null } = people.get(id) ?? {};
      access.set(id, {
        kind: 'member',
        id,
        name: username,
        email,
        ...given,
        since: at,
        createdBy: null,
        hasSecondFactor: false,
        isActive: true,
        entry: sequence,
      });
    }
    if (type === 'MemberRoleChanged') change(data.userId, sequence, given);
    if (type === 'MemberDeactivated') change(data.userId, sequence, { isActive: false });
    if (type === 'MemberReactivated') change(data.userId, sequence, { isActive: true });
  }
  for await (const { sequence, data } of eventsOf(call, end, 'PersonErased')) {
    change(data.userId, sequence, { isActive: false });
  }
  const factors = [
    ...(await arrayOf(eventsOf(call, end, 'SecondFactorEnabled'))),
    ...(await arrayOf(eventsOf(call, end, 'SecondFactorDisabled'))),
  ].sort((a, b) => a.sequence - b.sequence);
  for (const { sequence, type, data } of factors) {
    change(data.userId, sequence, { hasSecondFactor: type === 'SecondFactorEnabled' });
  }
  for await (const { sequence, type, at, data } of eventsOf(call, end, 'apikey')) {
    const id = String(data.keyId);
    // It may have made others, which remain.
    if (type === 'ApiKeyRevoked') change(id, sequence, { isActive: false });
    if (type !== 'ApiKeyCreated') continue;
    access.set(id, {
      kind: 'api-key',
      id,
      name: String(data.name),
      email: null,
      role: data.role as Role,
      until: data.expiresAt as string | null,
      since: at,
      createdBy: String(data.createdBy),
      hasSecondFactor: null,
      isActive: true,
      entry: sequence,
    });
  }
  return access;
}

/** Uses of keys are recorded after their hour, and within a day also by a worker that was stopped. */
const RECORDED_MS_MAX = 24 * 60 * 60_000;
const HOURS_OF_A_DAY = 24;

/** The last sign-in of a member, or the beginning of the last hour in which a key was used. */
async function lastUseOf(
  { read }: Reader,
  { until, size }: End,
  { kind, id }: Pick<Access, 'kind' | 'id'>,
): Promise<string | null> {
  const isKey = kind === 'api-key';
  const to = new Date(Date.parse(until) + (isKey ? RECORDED_MS_MAX : 0)).toISOString();
  const values = {
    from: null,
    to,
    actor_id: null,
    actor_kind: null,
    category: null,
    type: isKey ? 'ApiKeyUsed' : 'UserSignedIn',
    object: id,
    words: null,
    beyond: size + 1,
    limit: isKey ? 1 + HOURS_OF_A_DAY : 1,
  };
  const entries = await found<StoredEntry[]>(read(readAuditEntries.newest, values));
  const uses = entries.map((entry) => (isKey ? String(entry.values?.data.hour) : entry.at));
  return uses.find((use) => use < until) ?? null;
}

/** A last day is included in the access. */
function isOver(until: string | null, end: End): boolean {
  if (until === null) return false;
  return until.includes('T') ? until < end.until : until < end.until.slice(0, until.length);
}

/** The events of a kind from the first to the end of the period. */
async function* eventsOf(
  { read }: Reader,
  { until, size }: End,
  kind: string,
): AsyncGenerator<RecordedEvent> {
  const { category, type } = meantBy({ kind });
  const page = { category, type, limit: LIST_LENGTH_MAX, bytes: EVENTS_BYTES_MAX };
  for (let after = 0; ; ) {
    const { events } = await found<{ readonly events: readonly RecordedEvent[] }>(
      read(readRecordedEvents, { ...page, after }),
    );
    for (const event of events) {
      if (event.sequence <= size && Date.parse(event.at) < Date.parse(until)) yield event;
    }
    const last = events.at(-1);
    if (!last || last.sequence >= size) return;
    after = last.sequence;
  }
}

async function arrayOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}

async function membersOf({ read }: Reader): Promise<Map<string, Member>> {
  const members = new Map<string, Member>();
  for (let cursor: string | undefined; ; ) {
    const values = pageValues({ limit: LIST_LENGTH_MAX, cursor });
    if (isRefusal(values)) throw new Error('A page of members has no valid cursor');
    const result = read(readMembers, values);
    for (const member of await found<Member[]>(result)) members.set(member.id, member);
    const answer = await result;
    if (isRefusal(answer) || !answer.next) return members;
    cursor = answer.next;
  }
}

/** The response has started: a refused read can only abort it. */
export async function found<T>(result: Promise<ReadResult | Refusal>): Promise<T> {
  const answer = await result;
  if (isRefusal(answer)) throw new Error(`A download ended early: ${answer.code}`);
  return JSON.parse(answer.body ?? '[]') as T;
}
