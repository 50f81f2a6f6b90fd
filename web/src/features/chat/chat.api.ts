import { getAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  getChatBudget,
  setChatBudget,
} from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { api, change, read } from '../../app/api.ts';

const chatApi = api.injectEndpoints({
  endpoints: (build) => ({
    getAgent: build.query(read(getAgent, ['agents'])),
    listConversations: build.query(read(listConversations, ['chat'])),
    getConversation: build.query(read(getConversation, ['chat', 'ratings'])),
    getChatBudget: build.query(read(getChatBudget, ['chat', 'organizations'])),
    setChatBudget: build.mutation(change(setChatBudget, ['chat', 'audit'])),
    stopReply: build.mutation(change(stopReply, ['chat'])),
    renameConversation: build.mutation(change(renameConversation, ['chat'])),
    deleteConversation: build.mutation(change(deleteConversation, ['chat'])),
  }),
});

export const {
  useGetAgentQuery,
  useListConversationsQuery,
  useGetConversationQuery,
  useGetChatBudgetQuery,
  useSetChatBudgetMutation,
  useStopReplyMutation,
  useRenameConversationMutation,
  useDeleteConversationMutation,
} = chatApi;
