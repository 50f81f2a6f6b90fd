import { NotSignedIn, RoleNotAllowed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { Read, ReadArguments } from '@tallyhand/read-models/kernel/read';
import { AUDITOR_LINE, functionName } from '@tallyhand/read-models/kernel/read-functions';
import { accessEnded } from '@tallyhand/service-kit/http/ended-access';
import { traced } from '@tallyhand/service-kit/tracing/tracing';
import type { StatementRunner } from './read-lines.ts';

export type Values<A extends ReadArguments> = {
  readonly [K in keyof A]: string | number | null;
};

/**
 * `body` is JSON text, or null for a 404; `next` is the key of the last row of a full page, as JSON
 * text.
 */
export type ReadResult = {
  readonly kind: 'rows';
  readonly body: string | null;
  readonly next?: string | null;
  /** It is an Auditor who reads. */
  readonly byAuditor?: true;
};

type Row = { answer: string | null };

const statements = new WeakMap<Read, { readonly name: string; readonly text: string }>();

function statementOf(read: Read) {
  const known = statements.get(read);
  if (known) return known;
  const name = functionName(read);
  const count = Object.keys(read.arguments).length + 2;
  const places = Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ');
  const text = `select read_model.${name}(${places}) as answer`;
  const statement = { name, text };
  statements.set(read, statement);
  return statement;
}

/**
 * In one round trip, checks the sign-in (or takes the organization of a token), sets the
 * organization and reads.
 */
export async function runRead<A extends ReadArguments>(
  runner: StatementRunner,
  read: Read<A>,
  whose: string | null,
  allowed: readonly Role[] | null,
  values: Values<A>,
): Promise<ReadResult | Refusal> {
  const statement = statementOf(read as unknown as Read);
  const filled = Object.keys(read.arguments).map((name) => values[name]);
  const { rows } = await traced(`read ${statement.name}`, { kind: 'client' }, () =>
    runner.query<Row>({ ...statement, values: [whose, allowed, ...filled] }),
  );
  const given = rows[0]?.answer ?? null;
  const byAuditor = given?.startsWith(AUDITOR_LINE) ?? false;
  const answer = byAuditor && given ? given.slice(AUDITOR_LINE.length) : given;
  if (answer === null) return { kind: 'rows', body: null };
  const lineEnd = answer.indexOf('\n');
  if (lineEnd === -1) return refusalOf(answer, allowed);
  const body = inZ(answer.slice(lineEnd + 1));
  const next = answer.slice(0, lineEnd) || null;
  return { kind: 'rows', body, next, ...(byAuditor ? { byAuditor } : {}) };
}

/**
 * PostgreSQL writes moments in UTC as `….06+00:00`, the API as `….060Z`, which is what commands answer.
 * Only fields that hold instants are rewritten: a text that looks like a moment stays as its author
 * wrote it.
 */
export const inZ = (json: string) =>
  json.replace(
    /(\.\d+)?\+00:00"(?<="(?:\w*At|at|lastActive|failingSince)" ?: ?"[\dT:.-]{19,26}\+00:00")/g,
    (_, fraction = '.') => `${fraction.padEnd('.000'.length, '0')}Z"`,
  );

function refusalOf(answer: string, allowed: readonly Role[] | null): Refusal {
  const [outcome, what = ''] = answer.split(' ');
  if (outcome === 'role-not-allowed') return RoleNotAllowed({ role: what, allowed: allowed ?? [] });
  return what === '' ? NotSignedIn({}) : accessEnded(new Date(what));
}
