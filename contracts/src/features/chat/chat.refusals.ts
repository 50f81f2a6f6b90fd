import { refusal } from '../../kernel/refusal.ts';
import type { Sentence } from '../../kernel/sentence.ts';

/** `cause`: the code and parameters by which a page translates `reason`. */
export const AgentUnavailable = refusal(
  'agent-unavailable',
  503,
  'Agent unavailable',
  (p: { reason: string; cause?: Pick<Sentence, 'code' | 'params'> }) => p.reason,
);
export const ReplyPending = refusal(
  'reply-pending',
  409,
  'Reply pending',
  () => 'The agent is still answering. Wait for the reply or stop it.',
);
export const ReplyNotWritten = refusal(
  'reply-stopped',
  409,
  'Reply stopped',
  () => 'The reply was stopped before it began.',
);
export const NothingToAnswer = refusal(
  'nothing-to-answer',
  409,
  'Nothing to answer',
  () => 'Only the reply to the last message of a conversation can be regenerated.',
);
export const ChatLimitReached = refusal(
  'chat-limit-reached',
  429,
  'Too many messages',
  (p: { messagesMax: number; per: 'minute' | 'day'; retryAfterSeconds: number; retryAt: string }) =>
    `You can send up to ${p.messagesMax} messages a ${p.per}. Try again ${soon(p.retryAfterSeconds)}.`,
);
export const TokenBudgetExceeded = refusal(
  'token-budget-exceeded',
  402,
  'Token budget used up',
  (p: { limit: number; used: number; resetsAt: string }) =>
    `Chat has used ${p.used} of its ${p.limit} tokens for this month. An Admin can raise the budget.`,
);
/** Rounded for reading: the wait for a daily limit is given in hours. */
function soon(seconds: number): string {
  if (seconds === 1) return 'in a second';
  if (seconds < 120) return `in ${seconds} seconds`;
  if (seconds < 7_200) return `in ${Math.ceil(seconds / 60)} minutes`;
  return `in ${Math.ceil(seconds / 3_600)} hours`;
}
export const ConversationFull = refusal(
  'conversation-full',
  409,
  'Conversation full',
  (p: { messagesMax: number }) =>
    `A conversation can have up to ${p.messagesMax} messages. Start a new one.`,
);
