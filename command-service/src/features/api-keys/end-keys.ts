import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { apiKeyStream } from './api-key.decider.ts';

/** Ends the keys that a member made, and those that were made with them. May be repeated. */
export function keysEndedBy(kit: Kit) {
  const keys = kit.streams.of(apiKeyStream);
  return async (context: CommandContext, organizationId: string, memberId: string) => {
    const { rows } = await kit.pool.query<{ key_id: string }>(
      `update operational.api_keys set revoked_at = coalesce(revoked_at, now())
       where organization_id = $1 and member_id = $2 returning key_id`,
      [organizationId, memberId],
    );
    for (const { key_id } of rows) {
      const command = { type: 'RevokeApiKey', data: { organizationId } } as const;
      const answer = await keys.send(key_id, command, context);
      if (isRefusal(answer)) throw new Error(`A key was not revoked: ${answer.code}`);
    }
  };
}
