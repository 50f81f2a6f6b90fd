import { authorizeViewer } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { CallRefused, type CommandClient } from '../internal/command-client.ts';

const ANSWER_MS_MAX = 3_000;

export type Authorized = AnswerOf<typeof authorizeViewer>;
/** Why watching is refused; `unavailable` if it cannot be decided now. */
export type Denied = 'not-signed-in' | 'not-found' | 'unavailable';
export type Authorize = (
  cookie: string,
  sessionId: string,
  withState: boolean,
) => Promise<Authorized | Denied>;

export const authorizeBy =
  (client: CommandClient): Authorize =>
  async (cookie, sessionId, withState) => {
    try {
      const body = { cookie, sessionId, withState };
      return await client.call(authorizeViewer, { body, timeoutMs: ANSWER_MS_MAX });
    } catch (error) {
      if (!(error instanceof CallRefused)) return 'unavailable';
      if (error.status === 401) return 'not-signed-in';
      return error.status === 404 ? 'not-found' : 'unavailable';
    }
  };
