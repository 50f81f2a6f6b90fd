import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import type { ChatMessage, ChatReply } from '@tallyhand/contracts/features/chat/chat.endpoints';

/** A message and the reply to it, from the moment of sending until both are kept. */
export type Exchange = {
  /** Empty until the server names it. */
  readonly conversationId: string;
  /** What is answered: unknown until the server names it. */
  readonly messageId?: string;
  /** Absent where a message that is kept already is answered again. */
  readonly said?: string;
  /** The files of what is said. */
  readonly attachments?: readonly Attachment[];
  /** When it was sent, ISO 8601. */
  readonly at: string;
  /** As much of the reply as has come. */
  readonly written: string;
  readonly isOver: boolean;
  /** What was kept in the end; absent where the reply failed. */
  readonly reply?: ChatReply;
};

type Kept = Omit<ChatMessage, 'usage'>;
export type Shown = Omit<Kept, 'createdAt'> & { createdAt?: string };

const plain = {
  sources: [],
  toolCalls: [],
  approvals: [],
  stopped: false,
  rating: null,
  attachments: [],
};

/** What is kept and what is under way, each message once. */
export function messagesShown(
  kept: readonly Kept[],
  exchange: Exchange | undefined,
): readonly Shown[] {
  if (!exchange) return kept;
  const { messageId, said, attachments = [], at, written, isOver, reply } = exchange;
  const asked = kept.findIndex(({ id }) => id === messageId);
  const message = { ...plain, id: messageId ?? 'said', attachments: [...attachments] };
  const own: Shown[] =
    asked < 0 && said !== undefined
      ? [{ ...message, role: 'user', content: said, createdAt: at }]
      : [];
  if (isOver && (!reply || kept.some(({ id }) => id === reply.messageId))) return [...kept, ...own];
  // What follows the message is a reply that another one takes the place of.
  const before = asked < 0 ? kept : kept.slice(0, asked + 1);
  return [...before, ...own, ...replyShown(written, reply)];
}

function replyShown(written: string, reply: ChatReply | undefined): Shown[] {
  if (reply) {
    const { messageId: id, response: content, sources, toolCalls, stopped } = reply;
    return [{ ...plain, id, role: 'agent', content, sources, toolCalls, stopped }];
  }
  return written === '' ? [] : [{ ...plain, id: 'written', role: 'agent', content: written }];
}
