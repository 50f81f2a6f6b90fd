import { type Agent, getAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Conversation,
  type ConversationDetail,
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const chatApi = api.injectEndpoints({
  endpoints: (build) => ({
    getAgent: build.query<Agent, string>({
      query: (id) => call(getAgent, { params: { id } }),
      providesTags: ['agents'],
    }),
    listConversations: build.query<Conversation[], string>({
      query: (id) => call(listConversations, { params: { id } }),
      providesTags: ['chat'],
    }),
    getConversation: build.query<ConversationDetail, string>({
      query: (id) => call(getConversation, { params: { id } }),
      providesTags: ['chat'],
    }),
    stopReply: build.mutation<null, string>({
      query: (id) => call(stopReply, { params: { id } }),
      invalidatesTags: ['chat'],
    }),
    renameConversation: build.mutation<unknown, { id: string; title: string }>({
      query: ({ id, title }) => call(renameConversation, { params: { id }, body: { title } }),
      invalidatesTags: ['chat'],
    }),
    deleteConversation: build.mutation<null, string>({
      query: (id) => call(deleteConversation, { params: { id } }),
      invalidatesTags: ['chat'],
    }),
  }),
});

export const {
  useGetAgentQuery,
  useListConversationsQuery,
  useGetConversationQuery,
  useStopReplyMutation,
  useRenameConversationMutation,
  useDeleteConversationMutation,
} = chatApi;
