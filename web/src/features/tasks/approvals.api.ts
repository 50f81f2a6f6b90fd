import { decideReplyApproval } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { decideSessionApproval } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  decideApproval,
  listApprovals,
} from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import { api, change } from '../../app/api.ts';
import { type ArgOf, call } from '../../app/base-query.ts';
import { readPages } from '../../app/pages.ts';

/** Each has all its arguments. */
const PAGE_LENGTH = 20;
const OF_WAITING = ['tasks', 'chat', 'sessions'] as const;

const DECIDING = {
  task: decideApproval,
  reply: decideReplyApproval,
  session: decideSessionApproval,
} as const;

/** What a call belongs to: a task, the conversation of a reply, or a session. */
export type CallOwner = { readonly kind: keyof typeof DECIDING; readonly id: string };
type Decision = { readonly of: CallOwner } & Omit<ArgOf<typeof decideApproval>, 'id'>;

const approvalsApi = api.injectEndpoints({
  endpoints: (build) => ({
    findApprovals: build.infiniteQuery(readPages(listApprovals, PAGE_LENGTH, OF_WAITING)),
    decideCall: build.mutation({
      ...change(decideApproval, [...OF_WAITING, 'organizations', 'credits']),
      query: ({ of: { kind, id }, ...decision }: Decision) =>
        call(DECIDING[kind], { id, ...decision }),
    }),
  }),
});

export const { useFindApprovalsInfiniteQuery, useDecideCallMutation } = approvalsApi;
