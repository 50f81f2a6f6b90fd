import {
  getSession,
  getSessionSteps,
  handBackSession,
  listSessions,
  type Session,
  type SessionDetail,
  type SessionInput,
  type SessionStep,
  startSession,
  takeOverSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';
import type { SessionFilter } from './session-address.ts';

const PAGE_LENGTH = 20;

const sessionsApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Those that a filter finds, page by page. */
    findSessions: build.infiniteQuery<ListPage<Session>, SessionFilter, string | null>({
      query: ({ queryArg, pageParam }) => {
        const filter = queryArg as QueryOf<typeof listSessions>;
        return call(listSessions, { query: { ...filter, ...pageAt(PAGE_LENGTH, pageParam) } });
      },
      ...inPages<Session>(),
      providesTags: ['sessions'],
    }),
    getSession: build.query<SessionDetail, string>({
      query: (id) => call(getSession, { params: { id } }),
      providesTags: ['sessions', 'credits'],
    }),
    getSessionSteps: build.query<{ steps: SessionStep[] }, string>({
      query: (id) => call(getSessionSteps, { params: { id } }),
      providesTags: ['sessions'],
    }),
    startSession: build.mutation<Session, { agentId: string } & z.input<typeof SessionInput>>({
      query: ({ agentId, ...body }) => call(startSession, { params: { id: agentId }, body }),
      invalidatesTags: ['sessions', 'organizations', 'credits'],
    }),
    // A refusal means that the session stands otherwise than was shown: it is read again, too.
    terminateSession: build.mutation<Session, string>({
      query: (id) => call(terminateSession, { params: { id } }),
      invalidatesTags: ['sessions', 'organizations', 'credits'],
    }),
    takeOverSession: build.mutation<Session, string>({
      query: (id) => call(takeOverSession, { params: { id } }),
      invalidatesTags: ['sessions'],
    }),
    handBackSession: build.mutation<Session, string>({
      query: (id) => call(handBackSession, { params: { id } }),
      invalidatesTags: ['sessions'],
    }),
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
