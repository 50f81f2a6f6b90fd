import {
  beginSecondFactor,
  changePassword,
  changeProfile,
  checkPassword,
  confirmSecondFactor,
  ERASURE_HEADER,
  endOtherSignIns,
  endSignIn,
  erasePerson,
  makeDeviceKnown,
  removeSecondFactor,
  requestDeviceLink,
  requestPasswordReset,
  resetPassword,
  undoEmailChange,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { invalidField, NotFound, NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { clearSignInCookie } from '@tallyhand/service-kit/http/cookies';
import type { FastifyInstance } from 'fastify';
import type { PgBoss } from 'pg-boss';
import type { Caller, Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { AccountLinks } from './account-links.ts';
import type { Accounts } from './accounts.ts';
import type { EmailChanges } from './email-changes.ts';
import type { Erasure } from './erasure.ts';
import { forgetMark, giveNewMark } from './known-devices.ts';
import { passwordWarning } from './passwords.ts';
import { SecondFactors } from './second-factors.ts';
import { SignIns } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

const CHECKS_LIMIT = { max: 60, timeWindow: '1 minute' };
/** As registrations: a change of address says whether the new one has an account. */
const PROFILE_LIMIT = { max: 30, timeWindow: '10 minutes' };
const LINKS_LIMIT = { max: 20, timeWindow: '10 minutes' };

export type AccountContext = {
  readonly kit: Kit;
  readonly boss: PgBoss;
  readonly accounts: Accounts;
  readonly emailChanges: EmailChanges;
  readonly erasure: Erasure;
  readonly accountLinks: AccountLinks;
};

/** What signed-in people do with their own accounts, and those who have lost the way in. */
export function accountRoutes(app: FastifyInstance, context: AccountContext) {
  signInRoutes(app, context);
  profileRoute(app, context);
  passwordRoutes(app, context);
  linkRoutes(app, context);
  erasureRoute(app, context);
}

function signInRoutes(app: FastifyInstance, { kit }: AccountContext) {
  const signIns = new SignIns(kit);
  const ending = { what: 'sign-in' } as const;
  route(app, kit, endSignIn, ending, async ({ params, caller, context }) => {
    const reason = params.id === caller.signInId ? 'by-person' : 'from-another-sign-in';
    const ended = await signIns.end(context, caller, reason, { only: params.id });
    return ended === 0 ? NotFound({ what: 'sign-in' }) : undefined;
  });
  route(app, kit, endOtherSignIns, ending, async ({ caller, context }) => {
    await signIns.end(context, caller, 'from-another-sign-in', { except: caller.signInId });
    return undefined;
  });
}

function profileRoute(app: FastifyInstance, { kit, accounts, emailChanges }: AccountContext) {
  const users = kit.streams.of(userStream);

  async function changeName(context: CommandContext, caller: Caller, name: string) {
    const { userId, organizationId } = caller;
    const username = await kit.vault.encrypt(userId, organizationId, name);
    const data = { userId, organizationId, username };
    await users.send(userId, { type: 'ChangeProfile', data }, context);
  }

  async function changeEmail(
    context: CommandContext,
    caller: Caller,
    { email, currentPassword }: { readonly email: string; readonly currentPassword?: string },
  ): Promise<Refusal | null> {
    if (currentPassword === undefined) {
      const message = 'Please enter your password';
      return invalidField('currentPassword', message);
    }
    const refused = await accounts.guarded(caller, () =>
      accounts.refuseWrongPassword(caller.userId, currentPassword, 'currentPassword'),
    );
    return refused ?? emailChanges.change(context, caller, email);
  }

  route(app, kit, changeProfile, { limit: PROFILE_LIMIT }, async ({ body, caller, context }) => {
    const before = await accounts.currentUser(caller);
    if (!before) return NotSignedIn({});
    const { username, email, currentPassword } = body;
    if (email !== undefined && email !== before.email) {
      const given = currentPassword === undefined ? { email } : { email, currentPassword };
      const refused = await changeEmail(context, caller, given);
      if (refused) return refused;
    }
    if (username !== undefined && username !== before.username) {
      await changeName(context, caller, username);
    }
    return (await accounts.currentUser(caller)) ?? NotSignedIn({});
  });
}

function passwordRoutes(app: FastifyInstance, { kit, accounts }: AccountContext) {
  route(app, kit, changePassword, async ({ body, caller, context }) => {
    const { currentPassword, newPassword } = body;
    const refused = await accounts.guarded(caller, () =>
      accounts.refuseWrongPassword(caller.userId, currentPassword, 'currentPassword'),
    );
    if (refused) return refused;
    await accounts.setPassword(context, caller, newPassword, 'by-person');
    return { warning: await passwordWarning(newPassword) };
  });

  const checking = { limit: CHECKS_LIMIT };
  route(app, kit, checkPassword, checking, async ({ body }) => ({
    warning: await passwordWarning(body.password),
  }));
}

/** Links by mail, and what they lead to. */
function linkRoutes(
  app: FastifyInstance,
  { kit, boss, emailChanges, accountLinks }: AccountContext,
) {
  const limited = { limit: LINKS_LIMIT };
  route(app, kit, requestPasswordReset, limited, async ({ body }) => {
    await accountLinks.request(boss, 'reset', body.email);
    return undefined;
  });
  route(app, kit, requestDeviceLink, limited, async ({ body }) => {
    await accountLinks.request(boss, 'device', body.email);
    return undefined;
  });

  route(app, kit, makeDeviceKnown, limited, async ({ body, context, request, reply }) => {
    const account = await accountLinks.takeDeviceLink(body.token);
    if (isRefusal(account)) return account;
    const { userId } = account;
    await giveNewMark(request, reply, kit.settings, { userId, now: context.now });
    return undefined;
  });
  route(app, kit, resetPassword, limited, async ({ body, context }) => {
    const refused = await accountLinks.reset(context, body.token, body.newPassword);
    return refused ?? { warning: await passwordWarning(body.newPassword) };
  });
  route(app, kit, undoEmailChange, limited, async ({ body, context }) => {
    const refused = await emailChanges.undo(context, body.token);
    return isRefusal(refused) ? refused : undefined;
  });
}

function erasureRoute(app: FastifyInstance, { kit, accounts, erasure }: AccountContext) {
  const { publicUrl } = kit.settings;
  route(app, kit, erasePerson, async ({ body, caller, context, request, reply }) => {
    const refused = await accounts.guarded(caller, () =>
      accounts.refuseWrongPassword(caller.userId, body.password, 'password'),
    );
    if (refused) return refused;
    const erased = await erasure.erase(context, caller);
    if (isRefusal(erased)) return erased;
    if (erased === 'waits') reply.header(ERASURE_HEADER, 'waits-for-legal-hold');
    clearSignInCookie(reply, publicUrl);
    const { userId } = caller;
    await forgetMark(request, reply, kit.settings, { userId, now: context.now });
    return undefined;
  });
}

export function secondFactorRoutes(
  app: FastifyInstance,
  { kit, accounts }: Pick<AccountContext, 'kit' | 'accounts'>,
) {
  const factors = new SecondFactors(kit);

  route(app, kit, beginSecondFactor, async ({ body, caller }) => {
    const refused = await accounts.guarded(caller, () =>
      accounts.refuseWrongPassword(caller.userId, body.password, 'password'),
    );
    if (refused) return refused;
    return factors.begin(caller.userId, (await accounts.emailOf(caller.userId)) ?? '');
  });

  route(app, kit, confirmSecondFactor, async ({ body, caller, context }) => {
    const codes = await factors.confirm(context, caller, body.code);
    return isRefusal(codes) ? codes : { recoveryCodes: codes };
  });

  route(app, kit, removeSecondFactor, async ({ body, caller, context }) => {
    const { userId } = caller;
    const refused = await accounts.guarded(
      caller,
      async () =>
        (await accounts.refuseWrongPassword(userId, body.password, 'password')) ??
        (await factors.refuseWrongCode(userId, body.code, context.now)),
    );
    if (refused) return refused;
    await factors.remove(context, caller);
    return undefined;
  });
}
