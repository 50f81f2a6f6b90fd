import {
  getSession,
  getSessionSteps,
  handBackSession,
  listSessions,
  startSession,
  takeOverSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { api, change, read } from '../../app/api.ts';
import { readPages } from '../../app/pages.ts';
import type { SessionFilter } from './session-address.ts';

const PAGE_LENGTH = 20;

const sessionsApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Those that a filter finds, page by page. */
    findSessions: build.infiniteQuery(
      readPages<typeof listSessions, SessionFilter>(listSessions, PAGE_LENGTH, ['sessions']),
    ),
    getSession: build.query(read(getSession, ['sessions', 'credits'])),
    getSessionSteps: build.query(read(getSessionSteps, ['sessions'])),
    startSession: build.mutation(change(startSession, ['sessions', 'organizations', 'credits'])),
    // A refusal means that the session stands otherwise than was shown: it is read again, too.
    terminateSession: build.mutation(
      change(terminateSession, ['sessions', 'organizations', 'credits']),
    ),
    takeOverSession: build.mutation(change(takeOverSession, ['sessions'])),
    handBackSession: build.mutation(change(handBackSession, ['sessions'])),
  }),
});

export const {
  useFindSessionsInfiniteQuery,
  useGetSessionQuery,
  useGetSessionStepsQuery,
  useStartSessionMutation,
  useTerminateSessionMutation,
  useTakeOverSessionMutation,
  useHandBackSessionMutation,
} = sessionsApi;
