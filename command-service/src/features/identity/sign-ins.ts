import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { clearSignInCookie, setSignInCookie } from '@tallyhand/service-kit/http/cookies';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { streamsOf } from '../../kit/streams.ts';
import { userDecider } from './user.decider.ts';

const SIGN_IN_DAYS = 30;
const USER_AGENT_MAX = 300;

export type SignedIn = { readonly userId: string; readonly organizationId: string };

/** Sign-ins are rows that every request checks; their history stands on the person's stream. */
export function signInsOf(kit: Kit) {
  const { pool, vault, settings } = kit;
  const users = streamsOf(userDecider, kit.streams);

  return {
    /** A new sign-in for a person whose password was right, or who has just registered. */
    async begin(
      context: CommandContext,
      { userId, organizationId }: SignedIn,
      request: { userAgent: string | undefined; ip: string },
      reply: FastifyReply,
    ): Promise<void> {
      const signInId = idFor(context, 'sign-in');
      const expiresAt = new Date(context.now.getTime() + SIGN_IN_DAYS * 86_400_000);
      await pool.query(
        `insert into operational.sign_ins (sign_in_id, user_id, organization_id, expires_at)
         values ($1, $2, $3, $4) on conflict do nothing`,
        [signInId, userId, organizationId, expiresAt],
      );
      const userAgent = request.userAgent?.slice(0, USER_AGENT_MAX);
      const data = {
        userId,
        organizationId,
        signInId,
        userAgent: userAgent ? await vault.encrypt(userId, organizationId, userAgent) : null,
      };
      await users.send(
        userId,
        { type: 'RecordSignIn', data },
        {
          ...context,
          organizationId,
          actor: { kind: 'member', id: userId, signInId },
          sourceAddress: await vault.encrypt(userId, organizationId, request.ip),
        },
      );
      const token = await signToken(settings.signingKey, 'sign-in', {
        subject: signInId,
        expiresAt,
      });
      setSignInCookie(reply, settings.publicUrl, token, expiresAt);
    },
    /** From the next request on the sign-in no longer counts. */
    async end(
      context: CommandContext,
      { userId, organizationId, signInId }: SignedIn & { readonly signInId: string },
      reply: FastifyReply,
    ): Promise<void> {
      const { rowCount } = await pool.query(
        'update operational.sign_ins set ended_at = now() where sign_in_id = $1 and ended_at is null',
        [signInId],
      );
      clearSignInCookie(reply, settings.publicUrl);
      if (!rowCount) return;
      const data = { userId, organizationId, signInId, reason: 'by-person' as const };
      await users.send(userId, { type: 'RecordSignOut', data }, context);
    },
  };
}

export type SignIns = ReturnType<typeof signInsOf>;
