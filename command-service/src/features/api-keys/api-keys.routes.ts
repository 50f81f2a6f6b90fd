import {
  API_KEYS_MAX,
  createApiKey,
  revokeApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { TooManyApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.refusals';
import { AUDITOR_DAYS_MAX, dayAfter, endOfDay } from '@tallyhand/contracts/kernel/auditor-access';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { keyDigest, newApiKey } from '@tallyhand/service-kit/http/credentials';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { apiKeyStream } from './api-key.decider.ts';

export function apiKeysRoutes(app: FastifyInstance, { kit }: { readonly kit: Kit }) {
  const { pool } = kit;
  const keys = kit.streams.of(apiKeyStream);
  const options = { what: 'key' };

  route(app, kit, createApiKey, options, async ({ caller, context, body }) => {
    const { organizationId, userId: createdBy } = caller;
    const { name, role, expiresAt = null } = body;
    if (expiresAt !== null && Date.parse(expiresAt) <= context.now.getTime()) return expired();
    if (role === 'Auditor' && !endsInTime(expiresAt, context.now)) return mustExpire();
    const keyId = idFor(context, 'api-key');
    if (await isFull(pool, organizationId, keyId)) {
      return TooManyApiKeys({ keysMax: API_KEYS_MAX });
    }
    const data = { keyId, organizationId, name, role, createdBy, expiresAt };
    const made = await keys.send(keyId, { type: 'CreateApiKey', data }, context);
    if (isRefusal(made)) return made;
    const key = newApiKey();
    // A repeat of an unanswered call creates another key: the first was never returned.
    await pool.query(
      `insert into operational.api_keys
         (key_id, organization_id, digest, name, role, expires_at, member_id)
       values ($1, $2, $3, $4, $5, $6, coalesce(
         (select member_id from operational.api_keys where key_id = $7), $7))
       on conflict (key_id) do update set digest = excluded.digest`,
      [keyId, organizationId, keyDigest(key), name, role, expiresAt, createdBy],
    );
    return { id: keyId, name, role, expiresAt, key };
  });

  route(app, kit, revokeApiKey, options, async ({ caller, context, params }) => {
    const { organizationId } = caller;
    // The row first, so that the key is invalid even if this process dies.
    await pool.query(
      `update operational.api_keys set revoked_at = coalesce(revoked_at, now())
       where key_id = $1 and organization_id = $2`,
      [params.id, organizationId],
    );
    const command = { type: 'RevokeApiKey', data: { organizationId } } as const;
    const answer = await keys.send(params.id, command, context);
    return isRefusal(answer) ? answer : undefined;
  });
}

const endsInTime = (expiresAt: string | null, now: Date) =>
  expiresAt !== null &&
  Date.parse(expiresAt) <= Date.parse(endOfDay(dayAfter(now, AUDITOR_DAYS_MAX)));

const mustExpire = () =>
  invalidField(
    'expiresAt',
    `The key of an Auditor must expire, at most ${AUDITOR_DAYS_MAX} days from now`,
  );

function expired() {
  const message = 'Expiry must be in the future';
  return invalidField('expiresAt', message);
}

/** Whether the organization has the maximum of keys. */
async function isFull(pool: Kit['pool'], organizationId: string, keyId: string) {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from operational.api_keys
     where organization_id = $1 and key_id <> $2 and revoked_at is null
       and (expires_at is null or expires_at > now())`,
    [organizationId, keyId],
  );
  return (rows[0]?.count ?? 0) >= API_KEYS_MAX;
}
