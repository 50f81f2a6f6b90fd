import { getAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { api, change, read } from '../../app/api.ts';

const chatApi = api.injectEndpoints({
  endpoints: (build) => ({
    getAgent: build.query(read(getAgent, ['agents'])),
    listConversations: build.query(read(listConversations, ['chat'])),
    getConversation: build.query(read(getConversation, ['chat', 'ratings'])),
    stopReply: build.mutation(change(stopReply, ['chat'])),
    renameConversation: build.mutation(change(renameConversation, ['chat'])),
    deleteConversation: build.mutation(change(deleteConversation, ['chat'])),
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
