import {
  changePassword,
  changeProfile,
  checkPassword,
  endOtherSignIns,
  endSignIn,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { NotFound, NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { publicRoute, route } from '../../kit/route.ts';
import { streamsOf } from '../../kit/streams.ts';
import type { Accounts } from './accounts.ts';
import { passwordWarning } from './common-passwords.ts';
import { hashPassword } from './passwords.ts';
import { signInsOf } from './sign-ins.ts';
import { userDecider } from './user.decider.ts';

const CHECKS_LIMIT = { max: 60, timeWindow: '1 minute' };

export type AccountContext = { readonly kit: Kit; readonly accounts: Accounts };

/** What signed-in people do with their own accounts. */
export function accountRoutes(app: FastifyInstance, { kit, accounts }: AccountContext) {
  const signIns = signInsOf(kit);
  const users = streamsOf(userDecider, kit.streams);
  const { vault } = kit;

  const ending = { allow: 'member', what: 'sign-in' } as const;
  route(app, kit, endSignIn, ending, async ({ params, caller, context }) => {
    const reason = params.id === caller.signInId ? 'by-person' : 'from-another-sign-in';
    const ended = await signIns.end(context, caller, reason, { only: params.id });
    return ended === 0 ? NotFound({ what: 'sign-in' }) : undefined;
  });
  route(app, kit, endOtherSignIns, ending, async ({ caller, context }) => {
    await signIns.end(context, caller, 'from-another-sign-in', { except: caller.signInId });
    return undefined;
  });

  route(app, kit, changeProfile, { allow: 'member' }, async ({ body, caller, context }) => {
    const { userId, organizationId } = caller;
    const before = await accounts.currentUser(caller);
    if (!before) return NotSignedIn({});
    if (body.username !== undefined && body.username !== before.username) {
      const username = await vault.encrypt(userId, organizationId, body.username);
      const data = { userId, organizationId, username };
      await users.send(userId, { type: 'ChangeProfile', data }, context);
    }
    return (await accounts.currentUser(caller)) ?? NotSignedIn({});
  });

  const changing = { allow: 'member', isKeyless: true } as const;
  route(app, kit, changePassword, changing, async ({ body, caller, context }) => {
    const { currentPassword, newPassword } = body;
    const refused = await accounts.refuseWrongPassword(caller, currentPassword, 'currentPassword');
    if (refused) return refused;
    const { userId, organizationId, signInId } = caller;
    await vault.keepPasswordHash(userId, await hashPassword(newPassword));
    const data = { userId, organizationId, reason: 'by-person' as const };
    await users.send(userId, { type: 'RecordPasswordChange', data }, context);
    await signIns.end(context, caller, 'password-changed', { except: signInId });
    return { warning: await passwordWarning(newPassword) };
  });

  const checking = { allow: 'anyone', limit: CHECKS_LIMIT } as const;
  publicRoute(app, kit, checkPassword, checking, async ({ body }) => ({
    warning: await passwordWarning(body.password),
  }));
}
