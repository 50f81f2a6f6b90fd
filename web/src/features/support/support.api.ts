import { getStatus } from '@tallyhand/contracts/features/status/status.endpoints';
import {
  listTickets,
  openTicket,
  sendContactMessage,
} from '@tallyhand/contracts/features/support/support.endpoints';
import { api, change, read } from '../../app/api.ts';
import { readPages } from '../../app/pages.ts';

const TICKETS_PAGE_LENGTH = 20;

const supportApi = api.injectEndpoints({
  endpoints: (build) => ({
    sendContactMessage: build.mutation(change(sendContactMessage)),
    openTicket: build.mutation(change(openTicket, ['support'])),
    listTickets: build.infiniteQuery(readPages(listTickets, TICKETS_PAGE_LENGTH, ['support'])),
    getStatus: build.query(read(getStatus)),
  }),
});

export const {
  useSendContactMessageMutation,
  useOpenTicketMutation,
  useListTicketsInfiniteQuery,
  useGetStatusQuery,
} = supportApi;
