import {
  getSecondFactor,
  listSignInHistory,
  listSignIns,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readSecondFactor,
  readSignInHistory,
  readSignIns,
} from '@tallyhand/read-models/features/identity/sign-ins';
import { readCurrentUser } from '@tallyhand/read-models/features/team/team.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';
import type { ReadResult } from '../../kernel/run-read.ts';
import { deviceOf } from './device.ts';

export function identityRoutes(app: FastifyInstance, context: QueryContext) {
  oneRoute(app, context, getCurrentUser, {
    what: 'account',
    read: readCurrentUser,
    values: () => ({}),
  });
  oneRoute(app, context, getSecondFactor, {
    read: readSecondFactor,
    values: () => ({}),
  });
  route(app, context, listSignIns, async ({ read }) => {
    const result = await read(readSignIns, {});
    return isRefusal(result) ? result : withDevices(result);
  });
  route(app, context, listSignInHistory, async ({ read }) => {
    const result = await read(readSignInHistory, {});
    return isRefusal(result) ? result : withDevices(result);
  });
}

/** What a browser said of itself becomes what it is called. */
function withDevices({ kind, body }: ReadResult): ReadResult {
  const rows = JSON.parse(body ?? '[]') as { readonly userAgent: string | null }[];
  const shown = rows.map(({ userAgent, ...row }) => ({ ...row, device: deviceOf(userAgent) }));
  return { kind, body: JSON.stringify(shown) };
}
