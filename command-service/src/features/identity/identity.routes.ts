import {
  registerUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  SecondFactorRequired,
  TooManyAttempts,
  WrongCredentials,
} from '@tallyhand/contracts/features/identity/identity.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { START } from '@tallyhand/service-kit/event-store/position';
import { clearSignInCookie } from '@tallyhand/service-kit/http/cookies';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { Accounts } from './accounts.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { triedFrom } from './known-devices.ts';
import { Passwords, passwordWarning } from './passwords.ts';
import type { Registered, Registration } from './registration.ts';
import { SecondFactors } from './second-factors.ts';
import { SignIns } from './sign-ins.ts';

const REGISTRATIONS_LIMIT = { max: 30, timeWindow: '10 minutes' };
const SIGN_INS_LIMIT = { max: 60, timeWindow: '10 minutes' };

export type IdentityContext = {
  readonly kit: Kit;
  readonly registration: Registration;
  readonly accounts: Accounts;
};

export function identityRoutes(app: FastifyInstance, context: IdentityContext) {
  const { kit, registration, accounts } = context;
  const signIns = new SignIns(kit);
  const failures = new FailedSignIns(kit);
  const factors = new SecondFactors(kit);
  const passwords = new Passwords(kit.settings);

  /** For the audit log of the account's organization; the caller does not wait for it. */
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
      .catch((error) => kit.log.error('a failed sign-in was not recorded', errorFields(error)));
  }

  const registering = { limit: REGISTRATIONS_LIMIT };
  route(app, kit, registerUser, registering, async ({ body, context, request, reply }) => {
    const registered = await registration.register(context, body);
    if (isRefusal(registered)) return registered;
    await signIns.begin(context, registered, request, reply);
    // This process has just written all of it.
    const user = await accounts.currentUser(registered, START);
    if (!user) return WrongCredentials({});
    return { user, warning: await passwordWarning(body.password) };
  });

  const signingIn = { limit: SIGN_INS_LIMIT };
  route(app, kit, signIn, signingIn, async ({ body, context, request, reply }) => {
    const accountKey = registration.emailKey(body.email);
    const account = await registration.find(accountKey);
    const from = await triedFrom(request, kit.settings, account?.userId ?? null);
    const tried = await failures.attempt(accountKey, from);
    const refuse = (refusal: Refusal) => {
      if (account) recordFailed(account, { refusal, context, ip: request.ip });
      return refusal;
    };
    if ('seconds' in tried) {
      const { seconds: retryAfterSeconds } = tried;
      const deviceLink = kit.mail.isSet ? 'by-mail' : 'by-operator';
      return refuse(TooManyAttempts({ retryAfterSeconds, deviceLink }));
    }
    // An unknown account costs the same reads.
    const known = await kit.vault.passwordHash(account?.userId ?? newId());
    const right = await passwords.isRight(known, body.password);
    const user = right && account ? await accounts.currentUser(account) : null;
    if (!account || !user) return refuse(WrongCredentials({}));
    if (await factors.isOn(user.id)) {
      if (body.code === undefined) {
        // The password was right, and no code was guessed.
        await tried.takeBack();
        return SecondFactorRequired({});
      }
      const wrong = await factors.refuseWrongCode(user.id, body.code, context.now);
      if (wrong) return refuse(wrong);
    }
    await failures.forget(accountKey, from);
    const ended = await accounts.endedAccess(user.id);
    if (ended) return refuse(ended);
    await signIns.begin(context, account, request, reply);
    return { user };
  });

  route(app, kit, signOut, async ({ caller, context, reply }) => {
    const open = caller ?? (await signIns.openOf(reply.request));
    if (open) await signIns.signOut(context, open, reply);
    else clearSignInCookie(reply, kit.settings.publicUrl);
    return undefined;
  });
}
