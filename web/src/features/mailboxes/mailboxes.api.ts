import {
  connectMailbox,
  disconnectMailbox,
  listAllMailboxes,
  listMailboxes,
  listMailboxMails,
  pauseMailbox,
  resumeMailbox,
  sendReplyAgain,
  testMailbox,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { api, change, read } from '../../app/api.ts';
import { readPages } from '../../app/pages.ts';

const MAILS_PAGE_LENGTH = 20;

/** A mailbox rests with its agent, which is a change of the agent alone. */
const OF_MAILBOXES = ['mailboxes', 'agents'] as const;

const mailboxesApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAllMailboxes: build.query(read(listAllMailboxes, OF_MAILBOXES)),
    listMailboxes: build.query(read(listMailboxes, OF_MAILBOXES)),
    connectMailbox: build.mutation(change(connectMailbox, ['mailboxes', 'audit'])),
    testNewMailbox: build.mutation(change(testNewMailbox)),
    testMailbox: build.mutation(change(testMailbox)),
    pauseMailbox: build.mutation(change(pauseMailbox, ['mailboxes', 'audit'])),
    resumeMailbox: build.mutation(change(resumeMailbox, ['mailboxes', 'audit'])),
    disconnectMailbox: build.mutation(change(disconnectMailbox, ['mailboxes', 'audit'])),
    listMailboxMails: build.infiniteQuery(
      readPages<typeof listMailboxMails, { id: string }>(listMailboxMails, MAILS_PAGE_LENGTH, [
        'mailboxes',
      ]),
    ),
    sendReplyAgain: build.mutation(change(sendReplyAgain, ['mailboxes', 'audit'])),
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
