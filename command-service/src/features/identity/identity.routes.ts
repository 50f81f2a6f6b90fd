import {
  registerUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  TooManyAttempts,
  WrongCredentials,
} from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Role } from '@tallyhand/contracts/features/identity/role';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { publicRoute } from '../../kit/route.ts';
import { streamsOf } from '../../kit/streams.ts';
import { failedSignInsOf } from './failed-sign-ins.ts';
import { isRightPassword } from './passwords.ts';
import type { Registered, Registration } from './registration.ts';
import { signInsOf } from './sign-ins.ts';
import { userDecider } from './user.decider.ts';

const REGISTRATIONS_LIMIT = { max: 30, timeWindow: '10 minutes' };
const SIGN_INS_LIMIT = { max: 60, timeWindow: '10 minutes' };

export type IdentityContext = {
  readonly kit: Kit;
  readonly registration: Registration;
  readonly organizationName: (organizationId: string) => Promise<string>;
  readonly creditBalance: (organizationId: string) => Promise<number>;
};

export function identityRoutes(app: FastifyInstance, context: IdentityContext) {
  const { kit, registration } = context;
  const signIns = signInsOf(kit);
  const failures = failedSignInsOf(kit);
  const users = streamsOf(userDecider, kit.streams);

  /** For the audit log of the account's organization; whoever tried does not wait for it. */
  function recordFailed(
    { userId, organizationId }: Registered,
    failed: { readonly refusal: Refusal; readonly context: CommandContext; readonly ip: string },
  ) {
    const { refusal, context, ip } = failed;
    const call = { call: signIn.name, refusal, about: { userId } };
    kit.vault
      .encrypt(userId, organizationId, ip)
      .then((sourceAddress) =>
        kit.recordRefused({ ...call, context: { ...context, organizationId, sourceAddress } }),
      )
      .catch((error) => kit.log.error('a failed sign-in was not told of', errorFields(error)));
  }

  /** Null when the person is no longer a member. */
  async function currentUser({ userId, organizationId }: Registered) {
    const { rows } = await kit.pool.query<{ role: Role }>(
      'select role from operational.access where user_id = $1 and is_active',
      [userId],
    );
    const { registered } = await users.load(userId);
    if (!rows[0] || !registered) return null;
    const [username, email, name, creditBalance] = await Promise.all([
      kit.personKeys.reveal(userId, registered.username),
      kit.personKeys.reveal(userId, registered.email),
      context.organizationName(organizationId),
      context.creditBalance(organizationId),
    ]);
    const organization = { id: organizationId, name, creditBalance };
    return { id: userId, username, email, role: rows[0].role, organization };
  }

  const registering = { allow: 'anyone', limit: REGISTRATIONS_LIMIT } as const;
  publicRoute(app, kit, registerUser, registering, async ({ body, context, request, reply }) => {
    const registered = await registration.register(context, body);
    if (isRefusal(registered)) return registered;
    const { ip, headers } = request;
    await signIns.begin(context, registered, { ip, userAgent: headers['user-agent'] }, reply);
    const user = await currentUser(registered);
    return user ? { user } : WrongCredentials({});
  });

  const signingIn = { allow: 'anyone', limit: SIGN_INS_LIMIT } as const;
  publicRoute(app, kit, signIn, signingIn, async ({ body, context, request, reply }) => {
    const { ip, headers } = request;
    const accountKey = registration.emailKey(body.email);
    const retryAfterSeconds = await failures.attempt(accountKey, ip);
    const refuse = (refusal: Refusal, account: Registered | null) => {
      if (account) recordFailed(account, { refusal, context, ip });
      return refusal;
    };
    const account = await registration.find(accountKey);
    if (retryAfterSeconds !== null) return refuse(TooManyAttempts({ retryAfterSeconds }), account);
    const known = account ? await kit.vault.passwordHash(account.userId) : null;
    const right = await isRightPassword(known, body.password);
    const user = right && account ? await currentUser(account) : null;
    if (!account || !user) return refuse(WrongCredentials({}), account);
    await failures.forget(accountKey, ip);
    await signIns.begin(context, account, { ip, userAgent: headers['user-agent'] }, reply);
    return { user };
  });

  publicRoute(app, kit, signOut, { allow: 'anyone' }, async ({ caller, context, reply }) => {
    if (caller) await signIns.end(context, caller, reply);
    return undefined;
  });
}
