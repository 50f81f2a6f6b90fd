import type { Answer } from '@tallyhand/agent-runtime/engine';
import type { ChatReply } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { ReplyNotWritten } from '@tallyhand/contracts/features/chat/chat.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { storable } from '@tallyhand/service-kit/storable';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import type { LoggedCall } from '../../kit/tool-call-log.ts';
import { replyIn, type TalkingAgent } from './chat.ts';
import {
  conversationStream,
  type ExistingConversation,
  type Pending,
} from './conversation.decider.ts';

/** A reply that is being written, and what it is written for. */
export type Writing = {
  readonly context: CommandContext;
  readonly agent: TalkingAgent;
  readonly conversation: ExistingConversation;
  readonly pending: Pending;
};

/** What an engine has written, and what it called for it. */
type Written = Pick<Answer, 'output' | 'sources' | 'model'> & {
  readonly toolCalls: readonly LoggedCall[];
};

/** Reads the message that is answered, and keeps how its reply ended. */
export function replyKeeper(kit: Kit) {
  const conversations = kit.streams.of(conversationStream);

  async function textOf({ startedBy, said }: ExistingConversation, messageId: string) {
    const message = said.find((one) => one.messageId === messageId);
    if (message?.role !== 'user') throw new Error('The message that is answered is not there');
    return kit.personKeys.reveal(startedBy, message.text);
  }

  async function keep(
    { context, agent, conversation, pending }: Writing,
    type: 'Reply' | 'Stop',
    { output, sources, model, toolCalls }: Written,
  ): Promise<ChatReply | Refusal> {
    const { conversationId, organizationId, startedBy: by } = conversation;
    const messageId = idFor(context, 'reply');
    // It is unreadable once it is encrypted.
    const text = JSON.stringify(storable({ response: output, sources, toolCalls }));
    const data = {
      by,
      requestId: pending.requestId,
      inReplyTo: pending.inReplyTo,
      messageId,
      model,
      reply: await kit.vault.encrypt(by, organizationId, text),
      agentVersion: agent.version,
    };
    const kept = await conversations.send(conversationId, { type, data }, context);
    if (isRefusal(kept)) return kept;
    const found = kept.state?.said.find((one) => one.messageId === messageId);
    // It was ended before: later text does not count.
    if (!kept.state || found?.role !== 'agent') return ReplyNotWritten({});
    return replyIn(kit, kept.state, found);
  }

  async function fail(
    { context, conversation, pending }: Writing,
    reason: string,
  ): Promise<Refusal | null> {
    const { conversationId, startedBy: by } = conversation;
    const data = { by, requestId: pending.requestId, reason };
    const failed = await conversations.send(conversationId, { type: 'Fail', data }, context);
    return isRefusal(failed) ? failed : null;
  }

  return { textOf, keep, fail };
}
