import type { UserSignedOut } from '@tallyhand/contracts/features/identity/identity.events';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { clearSignInCookie, setSignInCookie } from '@tallyhand/service-kit/http/cookies';
import { credentialOf } from '@tallyhand/service-kit/http/credentials';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { rememberDevice } from './known-devices.ts';
import { userStream } from './user.decider.ts';

/** The maximum; an unused sign-in ends earlier. */
const SIGN_IN_DAYS = 30;
const USER_AGENT_MAX = 300;

export type SignedIn = { readonly userId: string; readonly organizationId: string };

type Reason = Parameters<typeof UserSignedOut>[0]['reason'];

/** Which sign-ins of a person: one, all, or all but one. */
type Which = { readonly only?: string; readonly except?: string };

/** Sign-ins are rows that every request checks. Their history is on the person's stream. */
export class SignIns {
  readonly #kit: Kit;
  readonly #users;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#users = kit.streams.of(userStream);
  }

  /** Begins a sign-in after the password was checked, or after registration. */
  async begin(
    context: CommandContext,
    { userId, organizationId }: SignedIn,
    { ip, headers, cookies }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { pool, vault, settings } = this.#kit;
    const signInId = idFor(context, 'sign-in');
    const expiresAt = new Date(context.now.getTime() + SIGN_IN_DAYS * 86_400_000);
    await pool.query(
      `insert into operational.sign_ins (sign_in_id, user_id, organization_id, expires_at)
       values ($1, $2, $3, $4) on conflict do nothing`,
      [signInId, userId, organizationId, expiresAt],
    );
    const agent = headers['user-agent']?.slice(0, USER_AGENT_MAX);
    const userAgent = agent ? await vault.encrypt(userId, organizationId, agent) : null;
    const data = { userId, organizationId, signInId, userAgent };
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: { kind: 'member', id: userId, signInId },
      sourceAddress: await vault.encrypt(userId, organizationId, ip),
    };
    await this.#users.send(userId, { type: 'RecordSignIn', data }, own);
    const claims = { subject: signInId, expiresAt };
    const token = await signToken(settings.signingKey, 'sign-in', claims);
    setSignInCookie(reply, settings.publicUrl, token, expiresAt);
    await rememberDevice({ cookies }, reply, settings, { userId, now: context.now });
  }

  /** Ends sign-ins from the next request on. Returns how many. */
  async end(
    context: CommandContext,
    { userId, organizationId }: SignedIn,
    reason: Reason,
    { only, except }: Which = {},
  ): Promise<number> {
    const { rows } = await this.#kit.pool.query<{ id: string }>(
      `update operational.sign_ins set ended_at = now()
       where user_id = $1 and ended_at is null
         and ($2::uuid is null or sign_in_id = $2) and ($3::uuid is null or sign_in_id <> $3)
       returning sign_in_id as id`,
      [userId, only ?? null, except ?? null],
    );
    const own = { ...context, organizationId };
    await Promise.all(
      rows.map(({ id }) => {
        const data = { userId, organizationId, signInId: id, reason };
        return this.#users.send(userId, { type: 'RecordSignOut', data }, own);
      }),
    );
    return rows.length;
  }

  /** The sign-in of the cookie, also where its member has no access any more. */
  async openOf(request: FastifyRequest): Promise<(SignedIn & { signInId: string }) | null> {
    const credential = await credentialOf(request, this.#kit.settings);
    if (credential?.kind !== 'member') return null;
    const { rows } = await this.#kit.pool.query<SignedIn & { readonly signInId: string }>(
      `select sign_in_id as "signInId", user_id as "userId", organization_id as "organizationId"
       from operational.sign_ins where sign_in_id = $1 and ended_at is null`,
      [credential.id],
    );
    return rows[0] ?? null;
  }

  /** Ends the caller's own sign-in, and deletes its cookie. */
  async signOut(
    context: CommandContext,
    caller: SignedIn & { readonly signInId: string },
    reply: FastifyReply,
  ): Promise<void> {
    clearSignInCookie(reply, this.#kit.settings.publicUrl);
    const actor = { kind: 'member', id: caller.userId, signInId: caller.signInId } as const;
    await this.end({ ...context, actor }, caller, 'by-person', { only: caller.signInId });
  }
}
