import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import {
  listTickets,
  openTicket,
  sendContactMessage,
  type Ticket,
} from '@tallyhand/contracts/features/support/support.endpoints';
import type {
  ContactInput,
  TicketInput,
} from '@tallyhand/contracts/features/support/support.fields';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const TICKETS_PAGE_LENGTH = 20;

const supportApi = api.injectEndpoints({
  endpoints: (build) => ({
    sendContactMessage: build.mutation<AnswerOf<typeof sendContactMessage>, ContactInput>({
      query: (body) => call(sendContactMessage, { body }),
    }),
    openTicket: build.mutation<AnswerOf<typeof openTicket>, TicketInput>({
      query: (body) => call(openTicket, { body }),
      invalidatesTags: ['support'],
    }),
    listTickets: build.infiniteQuery<ListPage<Ticket>, void, string | null>({
      query: ({ pageParam }) =>
        call(listTickets, { query: pageAt(TICKETS_PAGE_LENGTH, pageParam) }),
      ...inPages<Ticket>(),
      providesTags: ['support'],
    }),
    getStatus: build.query<Status, void>({ query: () => call(getStatus) }),
  }),
});

export const {
  useSendContactMessageMutation,
  useOpenTicketMutation,
  useListTicketsInfiniteQuery,
  useGetStatusQuery,
} = supportApi;
