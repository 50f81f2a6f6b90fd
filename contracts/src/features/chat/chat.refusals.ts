import { refusal } from '../../kernel/refusal.ts';

export const AgentUnavailable = refusal(
  'agent-unavailable',
  503,
  'Agent unavailable',
  (p: { reason: string }) => p.reason,
);
export const ConversationFull = refusal(
  'conversation-full',
  409,
  'Conversation full',
  (p: { messagesMax: number }) =>
    `A conversation holds at most ${p.messagesMax} messages. Start a new one.`,
);
