import { type Answer, EngineFailure } from '@tallyhand/agent-runtime/engine';
import type { ChatReply } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { REPLY_MS_MAX } from '@tallyhand/contracts/features/chat/chat.events';
import {
  AgentUnavailable,
  ReplyNotWritten,
} from '@tallyhand/contracts/features/chat/chat.refusals';
import { ReplyTooLate } from '@tallyhand/contracts/features/tasks/work-failures';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { errorFields } from '@tallyhand/service-kit/log';
import { storable } from '@tallyhand/service-kit/storable';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal, newestKnown } from '../../kit/caller.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import type { EventStream } from '../../kit/event-stream.ts';
import { type LoggedCall, toolCallLog } from '../../kit/tool-call-log.ts';
import { type ChatContext, replyIn, type TalkingAgent, toldBefore } from './chat.ts';
import {
  conversationStream,
  type ExistingConversation,
  type Pending,
} from './conversation.decider.ts';

/** Leaves time to keep a reply before it counts as lost. */
const WRITING_MS_MAX = REPLY_MS_MAX - 15_000;
const TOOL_CALLS_MAX = 10;
const READ_MODELS_WAIT_MS = 5_000;
/** How long a reply that was stopped may take to say so. */
const STOPPING_MS_MAX = 3_000;

const stopOf = (conversationId: string) => `stop-reply:${conversationId}`;
const endOf = (conversationId: string) => `reply-ended:${conversationId}`;

/** The call that waits for a reply. */
type Asking = {
  readonly context: CommandContext;
  readonly events: EventStream | null;
  readonly reply: FastifyReply;
};

/**
 * Writes replies, and stops them, in whatever process they are written. `close` stops all that are
 * written here, and ends when their parts are kept.
 */
export function repliesOf(context: ChatContext) {
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const { kit, completions, engine, findTools, closeTools, findPassages } = context;
  const { textOf, keep, fail } = replyKeeper(kit);

  /**
   * Streams the agent's reply to the waiting message; each piece is stored before it is sent. Ends
   * early when the caller leaves or the member stops it: the text so far is the reply.
   */
  async function write(
    asking: Asking,
    agent: TalkingAgent,
    conversation: ExistingConversation,
    pending: Pending,
  ): Promise<ChatReply | Refusal> {
    const { conversationId } = conversation;
    const { events } = asking;
    const stopping = completions.wait(stopOf(conversationId), REPLY_MS_MAX);
    const ended = new AbortController();
    void stopping.ended.then((heard) => heard !== null && ended.abort());
    const stopped = AbortSignal.any([closeSignal(asking.reply), ended.signal, closing.signal]);
    const tooLate = AbortSignal.timeout(WRITING_MS_MAX);
    let written = '';
    await seeOwnChanges(kit, asking.reply);
    events?.send('started', { conversationId, messageId: pending.inReplyTo });
    const onText = (piece: string) => {
      written += piece;
      events?.send('text', { piece });
    };
    const writing = { context: asking.context, agent, conversation, pending };
    // They are kept with the reply: one that is lost has done nothing that counts.
    const limit = { by: 'reply', callsMax: TOOL_CALLS_MAX };
    const calls = toolCallLog({ ...limit, before: [], note: async () => {} });
    try {
      const input = await textOf(conversation, pending.inReplyTo);
      const tools = await findTools(agent.tools, conversation.organizationId, pending.requestId);
      const signal = AbortSignal.any([stopped, tooLate]);
      const { organizationId } = conversation;
      const answer = await engine.answer({
        agent,
        input,
        signal,
        tools: calls.tools(tools, null),
        passages: await findPassages(organizationId, agent.articles, input, signal),
        ...(await toldBefore(kit, conversation, pending.inReplyTo)),
        ...(events ? { onText } : {}),
      });
      return await keep(writing, 'Reply', { ...answer, toolCalls: calls.made() });
    } catch (error) {
      if (!(error instanceof EngineFailure)) {
        await fail(writing, 'fault').catch((failure) =>
          kit.log.warn('a failed reply was not recorded', errorFields(failure)),
        );
        throw error;
      }
      if (stopped.aborted && written.trim() !== '') {
        const part = { output: written, sources: [], model: engine.model };
        return await keep(writing, 'Stop', { ...part, toolCalls: calls.made() });
      }
      const reason = stopped.aborted ? 'stopped' : error.code;
      const refused = await fail(writing, reason);
      if (refused || stopped.aborted) return refused ?? ReplyNotWritten({});
      const { text, ...cause } = tooLate.aborted ? ReplyTooLate({}) : error.sentence;
      return AgentUnavailable({ reason: text, cause });
    } finally {
      closeTools(pending.requestId);
      stopping.cancel();
      await completions.announce(endOf(conversationId), '');
    }
  }

  return {
    write(...asked: Parameters<typeof write>) {
      const written = write(...asked);
      underWay.add(written);
      return written.finally(() => underWay.delete(written));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
    },
    stop: (by: CommandContext, of: ExistingConversation) => stop(context, by, of),
    /** The process that writes the reply is notified; no one waits for that. */
    interrupt: (conversationId: string) => completions.announce(stopOf(conversationId), ''),
  };
}

/** What the caller wrote a moment ago is answered from too. */
async function seeOwnChanges(kit: Kit, { request }: FastifyReply) {
  if (await kit.readPosition.reached(newestKnown(kit, request), READ_MODELS_WAIT_MS)) return;
  kit.log.warn('a reply is written while the read models are behind');
}

/** The process that writes the reply stores its part; if it died, the reply ends as it is. */
async function stop(
  { kit, completions }: ChatContext,
  by: CommandContext,
  { conversationId, startedBy, pending }: ExistingConversation,
): Promise<Refusal | null> {
  if (!pending) return null;
  const conversations = kit.streams.of(conversationStream);
  const end = completions.wait(endOf(conversationId), STOPPING_MS_MAX);
  await completions.announce(stopOf(conversationId), '');
  await end.ended;
  const now = await conversations.load(conversationId);
  if (!now) return NotFound({ what: 'conversation' });
  if (now.pending?.requestId !== pending.requestId) return null;
  const data = { by: startedBy, requestId: pending.requestId, reason: 'stopped' };
  const failed = await conversations.send(conversationId, { type: 'Fail', data }, by);
  return isRefusal(failed) ? failed : null;
}

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
