import { ReadableStream } from 'node:stream/web';
import { downloadOwnData } from '@tallyhand/contracts/features/identity/account.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readOwnEvents } from '@tallyhand/read-models/features/audit/audit-log.tables';
import { readOwnConversations } from '@tallyhand/read-models/features/chat/chat.tables';
import {
  readSecondFactor,
  readSignInHistory,
  readSignIns,
} from '@tallyhand/read-models/features/identity/sign-ins';
import { readNotificationPreferences } from '@tallyhand/read-models/features/notifications/notifications.tables';
import { readCurrentUser } from '@tallyhand/read-models/features/team/team.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { type Call, route } from '../../kernel/route.ts';
import type { ReadResult } from '../../kernel/run-read.ts';

/** Reads everything about one person. */
const LIMIT = { max: 10, timeWindow: '1 hour' };
const EVENTS_AT_ONCE = 100;
const EVENTS_BYTES_MAX = 4 * 1024 * 1024;
const CONVERSATIONS_AT_ONCE = 20;

type Reader = Pick<Call<unknown, unknown>, 'read'>;

/** What is stored about the caller, as one file. */
export function ownDataRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, downloadOwnData, { limit: LIMIT }, async (call) => {
    const account = await call.read(readCurrentUser, {});
    if (isRefusal(account)) return account;
    return {
      kind: 'file',
      fileName: 'my-data.json',
      media: 'application/json',
      body: ReadableStream.from(ownData(call, account.body ?? 'null')),
    };
  });
}

async function* ownData({ read }: Reader, account: string): AsyncGenerator<string> {
  yield `{"account":${account}`;
  const parts = {
    notificationPreferences: readNotificationPreferences,
    twoFactor: readSecondFactor,
    signIns: readSignIns,
    recentSignIns: readSignInHistory,
  };
  for (const [name, each] of Object.entries(parts)) {
    yield `,\n"${name}":${bodyOf(await read(each, {})) ?? 'null'}`;
  }
  yield ',\n"conversations":';
  yield* listOf<{ readonly id: string }>(async (last) => {
    const values = { after: last?.id ?? null, limit: CONVERSATIONS_AT_ONCE };
    return bodyOf(await read(readOwnConversations, values));
  });
  yield ',\n"events":';
  yield* listOf<{ readonly sequence: number }>(async (last) => {
    const values = {
      after: last?.sequence ?? 0,
      limit: EVENTS_AT_ONCE,
      bytes: EVENTS_BYTES_MAX,
    };
    return bodyOf(await read(readOwnEvents, values));
  });
  yield '}\n';
}

function bodyOf(result: Awaited<ReturnType<Reader['read']>>): ReadResult['body'] {
  // The response has started: it can only be aborted.
  if (isRefusal(result)) throw new Error(`Personal data ended early: ${result.code}`);
  return result.body;
}

/** A JSON list with one row per line; `next` returns the rows after one, and none at the end. */
async function* listOf<R>(next: (last: R | null) => Promise<string | null>) {
  yield '[';
  let last: R | null = null;
  for (let before = '\n'; ; ) {
    const rows = JSON.parse((await next(last)) ?? '[]') as R[];
    if (rows.length === 0) break;
    for (const row of rows) {
      yield before + JSON.stringify(row);
      before = ',\n';
    }
    last = rows.at(-1) ?? null;
  }
  yield ']';
}
