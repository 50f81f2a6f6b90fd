import type { Role } from '@tallyhand/contracts/features/identity/role';
import { NotSignedIn, RoleNotAllowed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Read, ReadArguments } from '@tallyhand/read-models/kernel/read-model';
import { functionName } from '@tallyhand/read-models/kernel/schema';
import { traced } from '@tallyhand/service-kit/tracing/tracing';
import type { QueryContext } from './context.ts';

export type Values<A extends ReadArguments> = {
  readonly [K in keyof A]: string | number | null;
};

/** `body` is JSON text, null where there is nothing to see. */
export type ReadResult = { readonly kind: 'rows'; readonly body: string | null };

type Row = { outcome: string; caller_role: Role | null; body: string | null };

const statements = new WeakMap<Read, { readonly name: string; readonly text: string }>();

function statementOf(read: Read) {
  const known = statements.get(read);
  if (known) return known;
  const name = functionName(read);
  const count = Object.keys(read.arguments).length + 2;
  const places = Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ');
  const text = `select outcome, caller_role, body from read_model.${name}(${places})`;
  const statement = { name, text };
  statements.set(read, statement);
  return statement;
}

/**
 * One round trip: checks the sign-in (or takes the organization that a token named), sets the
 * organization and reads. `body` is JSON text in the shape of the view, null when there is no row.
 */
export async function runRead<A extends ReadArguments>(
  { pool }: QueryContext,
  read: Read<A>,
  whose: string | null,
  allowed: readonly Role[] | null,
  values: Values<A>,
): Promise<ReadResult | Refusal> {
  const statement = statementOf(read as unknown as Read);
  const given = Object.keys(read.arguments).map((name) => values[name]);
  const { rows } = await traced(`read ${statement.name}`, { kind: 'client' }, () =>
    pool.query<Row>({ ...statement, values: [whose, allowed, ...given] }),
  );
  const row = rows[0];
  if (!row || row.outcome === 'not-signed-in') return NotSignedIn({});
  if (row.outcome === 'role-not-allowed') {
    return RoleNotAllowed({ role: row.caller_role ?? '', allowed: allowed ?? [] });
  }
  return { kind: 'rows', body: row.body };
}
