import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { credentialOf } from '@tallyhand/service-kit/http/credentials';
import { whyNotValid } from '@tallyhand/service-kit/http/ended-access';
import type { FastifyRequest } from 'fastify';
import type { Caller, Kit } from './app.ts';

/** The sign-in of the cookies, or the API key of the header, if it is valid. */
export async function authenticate(
  kit: Kit,
  request: Pick<FastifyRequest, 'cookies' | 'headers'>,
): Promise<Caller | Refusal> {
  const credential = await credentialOf(request, kit.settings);
  if (!credential) return NotSignedIn({});
  const { rows } = await kit.pool.query<{ user_id: string; organization_id: string; role: Role }>({
    name: 'authenticate',
    text: 'select user_id, organization_id, role from operational.authenticate($1)',
    values: [credential.id],
  });
  const row = rows[0];
  if (!row) return whyNotValid(kit.pool, credential.id);
  const { user_id: userId, organization_id: organizationId, role } = row;
  return { kind: credential.kind, signInId: credential.id, userId, organizationId, role };
}
