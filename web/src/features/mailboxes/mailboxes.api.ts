import {
  connectMailbox,
  disconnectMailbox,
  listAllMailboxes,
  listMailboxes,
  type Mailbox,
  type MailboxTest,
  pauseMailbox,
  resumeMailbox,
  testMailbox,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import type { MailboxInput } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const mailboxesApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAllMailboxes: build.query<Mailbox[], void>({
      query: () => call(listAllMailboxes),
      providesTags: ['mailboxes'],
    }),
    listMailboxes: build.query<Mailbox[], string>({
      query: (id) => call(listMailboxes, { params: { id } }),
      providesTags: ['mailboxes'],
    }),
    connectMailbox: build.mutation<Mailbox, { agentId: string; input: MailboxInput }>({
      query: ({ agentId, input }) => call(connectMailbox, { params: { id: agentId }, body: input }),
      invalidatesTags: ['mailboxes', 'audit'],
    }),
    testNewMailbox: build.mutation<MailboxTest, MailboxInput>({
      query: (body) => call(testNewMailbox, { body }),
    }),
    testMailbox: build.mutation<MailboxTest, string>({
      query: (id) => call(testMailbox, { params: { id } }),
    }),
    pauseMailbox: build.mutation<Mailbox, string>({
      query: (id) => call(pauseMailbox, { params: { id } }),
      invalidatesTags: ['mailboxes', 'audit'],
    }),
    resumeMailbox: build.mutation<Mailbox, string>({
      query: (id) => call(resumeMailbox, { params: { id } }),
      invalidatesTags: ['mailboxes', 'audit'],
    }),
    disconnectMailbox: build.mutation<null, string>({
      query: (id) => call(disconnectMailbox, { params: { id } }),
      invalidatesTags: ['mailboxes', 'audit'],
    }),
  }),
});

export const {
  useListAllMailboxesQuery,
  useListMailboxesQuery,
  useConnectMailboxMutation,
  useTestNewMailboxMutation,
  useTestMailboxMutation,
  usePauseMailboxMutation,
  useResumeMailboxMutation,
  useDisconnectMailboxMutation,
} = mailboxesApi;
