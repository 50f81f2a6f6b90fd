import {
  connectMailbox,
  disconnectMailbox,
  listAllMailboxes,
  listMailboxes,
  listMailboxMails,
  type Mailbox,
  type MailboxMail,
  type MailboxTest,
  pauseMailbox,
  resumeMailbox,
  sendReplyAgain,
  testMailbox,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import type { MailboxInput } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const MAILS_PAGE_LENGTH = 20;

/** A mailbox rests with its agent, which is a change of the agent alone. */
const OF_MAILBOXES = ['mailboxes', 'agents'] as const;

const mailboxesApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAllMailboxes: build.query<Mailbox[], void>({
      query: () => call(listAllMailboxes),
      providesTags: OF_MAILBOXES,
    }),
    listMailboxes: build.query<Mailbox[], string>({
      query: (id) => call(listMailboxes, { params: { id } }),
      providesTags: OF_MAILBOXES,
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
    listMailboxMails: build.infiniteQuery<ListPage<MailboxMail>, string, string | null>({
      query: ({ queryArg: id, pageParam }) =>
        call(listMailboxMails, { params: { id }, query: pageAt(MAILS_PAGE_LENGTH, pageParam) }),
      ...inPages<MailboxMail>(),
      providesTags: ['mailboxes'],
    }),
    sendReplyAgain: build.mutation<{ id: string }, string>({
      query: (id) => call(sendReplyAgain, { params: { id } }),
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
  useListMailboxMailsInfiniteQuery,
  useSendReplyAgainMutation,
} = mailboxesApi;
