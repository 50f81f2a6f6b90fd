import {
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import { route } from '../../kit/route.ts';
import type { AccountContext } from './account.routes.ts';
import { secondFactorsOf } from './second-factors.ts';

export function secondFactorRoutes(
  app: FastifyInstance,
  { kit, accounts }: Pick<AccountContext, 'kit' | 'accounts'>,
) {
  const factors = secondFactorsOf(kit);

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
