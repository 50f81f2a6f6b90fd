import { type Answer, type AnswerEngine, EngineFailure } from '@tallyhand/agent-runtime/engine';
import { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import type { ChatReply } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { REPLY_MS_MAX } from '@tallyhand/contracts/features/chat/chat.events';
import {
  AgentUnavailable,
  ReplyNotWritten,
} from '@tallyhand/contracts/features/chat/chat.refusals';
import { ReplyTooLate } from '@tallyhand/contracts/features/tasks/work-failures';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { type Position, parsePosition } from '@tallyhand/service-kit/event-store/position';
import { errorFields } from '@tallyhand/service-kit/log';
import { storable } from '@tallyhand/service-kit/storable';
import { backgroundContext, type CommandContext, idFor } from '../../kit/context.ts';
import type { EventStream } from '../../kit/event-stream.ts';
import type { LoggedCall } from '../../kit/tool-call-log.ts';
import {
  attachmentsOf,
  type ChatContext,
  earlierMessages,
  type ReplyJob,
  replyIn,
  type TalkingAgent,
} from './chat.ts';
import {
  conversationStream,
  type ExistingConversation,
  type Pending,
  waitsFor,
} from './conversation.decider.ts';
import { doneBefore, ReplyTools, waits } from './reply-approvals.ts';

/** Leaves time to store a reply before it counts as lost. */
const WRITING_MS_MAX = REPLY_MS_MAX - 15_000;
const READ_MODELS_WAIT_MS = 5_000;
/** How long the process that writes a reply may take to stop it. */
const STOPPING_MS_MAX = 3_000;

const stopOf = (conversationId: string) => `stop-reply:${conversationId}`;
const endOf = (conversationId: string) => `reply-ended:${conversationId}`;

/** What asks for a reply: a call that waits for it, or a decision. */
type Asking = {
  readonly context: CommandContext;
  readonly events: EventStream | null;
  /** Aborted when the caller leaves. A worker that ends leaves the reply to another one. */
  readonly gone: AbortSignal;
  readonly isWorker: boolean;
  /** The agent must see what happened until then. */
  readonly seen: Position;
};

type Answered = ChatReply | ReturnType<typeof waits> | Refusal;

/** A reply that is being written. */
type Writing = {
  readonly context: CommandContext;
  readonly agent: TalkingAgent;
  readonly conversation: ExistingConversation;
  readonly pending: Pending;
  readonly meter: UsageMeter;
};

/** The engine's output, and the tool calls that it made. */
type Written = Pick<Answer, 'output' | 'sources' | 'model'> & {
  readonly toolCalls: readonly LoggedCall[];
};

/** Writes replies, and stops them in whichever process writes them. */
export class Replies {
  readonly #context: ChatContext;
  readonly #conversations;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(context: ChatContext) {
    this.#context = context;
    this.#conversations = context.kit.streams.of(conversationStream);
  }

  write(
    asking: Asking,
    agent: TalkingAgent,
    conversation: ExistingConversation,
    pending: Pending,
  ): Promise<Answered> {
    const waiting = waitsFor(conversation);
    // A call that is repeated meanwhile has nothing to write.
    if (waiting) return Promise.resolve(waits(conversation, pending, waiting));
    const written = this.#write(asking, agent, conversation, pending);
    this.#running.add(written);
    return written.finally(() => this.#running.delete(written));
  }

  /** Continues a reply after a decision. Does nothing if it has ended or waits again. */
  async resume(job: ReplyJob, gone: AbortSignal): Promise<void> {
    const found = await this.#pendingOf(job);
    if (!found) return;
    const { conversation, pending } = found;
    const { correlationId, causationId } = job;
    const { organizationId, agentId } = conversation;
    const ids = { correlationId, causationId };
    const context = backgroundContext('worker', organizationId, ids);
    const agent = await this.#context.findAgent(agentId, organizationId);
    const member = await this.#context.nameOf(conversation.startedBy, organizationId);
    // As for a new message.
    if (!agent?.isActive || member === null) {
      const reason = agent
        ? member === null
          ? 'member-removed'
          : 'agent-paused'
        : 'agent-deleted';
      await this.#fail({ context, conversation, pending, meter: new UsageMeter() }, reason);
      return;
    }
    const seen = parsePosition(job.position) ?? this.#context.kit.latest.current();
    const asking = { context, events: null, gone, isWorker: true, seen };
    await this.write(asking, agent, conversation, pending);
  }

  /** Fails a reply whose attempts are used up. */
  async giveUp(job: ReplyJob): Promise<void> {
    const found = await this.#pendingOf(job);
    if (!found) return;
    const { conversation } = found;
    const context = backgroundContext('worker', conversation.organizationId);
    await this.#fail({ context, ...found, meter: new UsageMeter() }, 'fault');
  }

  async #pendingOf({ conversationId, requestId }: ReplyJob) {
    const conversation = await this.#conversations.load(conversationId);
    const pending = conversation?.pending;
    if (!pending || pending.requestId !== requestId || pending.dueAt <= Date.now()) return null;
    return waitsFor(conversation) ? null : { conversation, pending };
  }

  /** The process that writes the reply stores its text so far. If it died, the reply fails. */
  async stop(context: CommandContext, conversation: ExistingConversation): Promise<Refusal | null> {
    const { conversationId, startedBy, pending } = conversation;
    if (!pending) return null;
    if (!waitsFor(conversation)) await this.#interrupted(conversationId);
    const now = await this.#conversations.load(conversationId);
    if (!now) return NotFound({ what: 'conversation' });
    if (now.pending?.requestId !== pending.requestId) return null;
    const data = { by: startedBy, requestId: pending.requestId, reason: 'stopped' };
    const command = { type: 'Fail', data } as const;
    const failed = await this.#conversations.send(conversationId, command, context);
    return isRefusal(failed) ? failed : null;
  }

  async #interrupted(conversationId: string) {
    const end = this.#context.completions.wait(endOf(conversationId), STOPPING_MS_MAX);
    await this.interrupt(conversationId);
    await end.ended;
  }

  /** Notifies the process that writes the reply, without waiting for its end. */
  interrupt(conversationId: string) {
    return this.#context.completions.announce(stopOf(conversationId), '');
  }

  /** Stops all replies of this process. Resolves when their texts so far are stored. */
  async close() {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }

  /**
   * Streams the agent's reply while it is written. Ends early when the caller leaves or the member
   * stops it: the text so far is the reply.
   */
  async #write(
    asking: Asking,
    agent: TalkingAgent,
    conversation: ExistingConversation,
    pending: Pending,
  ): Promise<Answered> {
    const { kit, completions, engineOf, findTools, closeTools, findPassages } = this.#context;
    const { conversationId, organizationId } = conversation;
    const { events } = asking;
    const before = await doneBefore(kit, conversation);
    // The member was erased.
    if (!before) return ReplyNotWritten({});
    let model = '';
    const stopping = completions.wait(stopOf(conversationId), REPLY_MS_MAX);
    const ended = new AbortController();
    void stopping.ended.then((heard) => heard !== null && ended.abort());
    const stopped = AbortSignal.any([asking.gone, ended.signal, this.#closing.signal]);
    const tooLate = AbortSignal.timeout(WRITING_MS_MAX);
    let written = '';
    if (!(await kit.readPosition.reached(asking.seen, READ_MODELS_WAIT_MS))) {
      kit.log.warn('a reply is written while the read models are behind');
    }
    events?.send('started', { conversationId, messageId: pending.inReplyTo });
    const onText = (piece: string) => {
      written += piece;
      events?.send('text', { piece });
    };
    const meter = new UsageMeter();
    const writing = { context: asking.context, agent, conversation, pending, meter };
    const contextFor = () => ({ ...asking.context, commandId: newId() });
    const calls = new ReplyTools(kit, conversation, { contextFor, pending, meter }, before);
    try {
      const engine = await engineOf(organizationId, agent.model);
      model = engine.model;
      const { input, attached } = await this.#asked(conversation, pending.inReplyTo, engine);
      const { formPolicy } = agent;
      const use = { formPolicy };
      const tools = await findTools(agent.tools, organizationId, pending.requestId, use);
      const signal = AbortSignal.any([stopped, tooLate, calls.waits]);
      const answer = await engine.answer({
        agent,
        input,
        signal,
        tools: tools.map((tool) => calls.tool(tool)),
        turns: calls.turns,
        onModelCall: meter.note,
        images: attached.images,
        passages: [
          ...attached.passagesFor(input),
          ...(await findPassages(organizationId, agent.articles, input, {
            since: asking.seen,
            signal,
          })),
        ],
        ...(await earlierMessages(kit, conversation, pending.inReplyTo)),
        ...(events ? { onText } : {}),
      });
      return await this.#keep(writing, 'Reply', { ...answer, toolCalls: calls.made() });
    } catch (error) {
      if (calls.asked) return waits(conversation, pending, calls.asked);
      const isLeft = asking.gone.aborted || this.#closing.signal.aborted;
      const isFault = !(error instanceof EngineFailure);
      // The job is tried again; what was called is not repeated.
      if (
        asking.isWorker &&
        !ended.signal.aborted &&
        (isLeft || isFault || calls.made().length > 0)
      )
        throw error;
      if (!(error instanceof EngineFailure)) {
        await this.#fail(writing, 'fault').catch((failure) =>
          kit.log.warn('a failed reply was not recorded', errorFields(failure)),
        );
        throw error;
      }
      if (stopped.aborted && written.trim() !== '') {
        const part = { output: written, sources: [], model };
        return await this.#keep(writing, 'Stop', { ...part, toolCalls: calls.made() });
      }
      const reason = stopped.aborted ? 'stopped' : error.code;
      const refused = await this.#fail(writing, reason);
      if (refused || stopped.aborted) return refused ?? ReplyNotWritten({});
      const { text, ...cause } = tooLate.aborted ? ReplyTooLate({}) : error.sentence;
      return AgentUnavailable({ reason: text, cause });
    } finally {
      closeTools(pending.requestId);
      stopping.cancel();
      await completions.announce(endOf(conversationId), '');
    }
  }

  /** The answered message, and the files of its conversation, its own first. */
  async #asked(
    { organizationId, startedBy, said }: ExistingConversation,
    messageId: string,
    { seesImages }: Pick<AnswerEngine, 'seesImages'>,
  ) {
    const { kit, attachments } = this.#context;
    const at = said.findIndex((one) => one.messageId === messageId);
    const messages = said.slice(0, at + 1).filter((one) => one.role === 'user');
    const [message, ...earlier] = messages.toReversed();
    if (!message) throw new Error('The message that is answered is not there');
    const own = await attachmentsOf(kit, startedBy, message);
    const before = await Promise.all(earlier.map((one) => attachmentsOf(kit, startedBy, one)));
    // A model that was chosen later may not take the images of earlier messages.
    const readable = before.flat().filter(({ kind }) => seesImages || kind === 'document');
    const attached = await attachments.open(organizationId, own, readable);
    return { input: await kit.personKeys.reveal(startedBy, message.text), attached };
  }

  async #keep(
    { context, agent, conversation, pending, meter }: Writing,
    type: 'Reply' | 'Stop',
    { output, sources, model, toolCalls }: Written,
  ): Promise<ChatReply | Refusal> {
    const { kit } = this.#context;
    const { conversationId, organizationId, startedBy: by } = conversation;
    const messageId = idFor(context, 'reply');
    // Encrypted text can't be checked by the event store's own rules.
    const text = JSON.stringify(storable({ response: output, sources, toolCalls }));
    const data = {
      by,
      requestId: pending.requestId,
      inReplyTo: pending.inReplyTo,
      messageId,
      model,
      reply: await kit.vault.encrypt(by, organizationId, text),
      agentVersion: agent.version,
      usage: meter.take(),
    };
    const kept = await this.#conversations.send(conversationId, { type, data }, context);
    if (isRefusal(kept)) return kept;
    const found = kept.state?.said.find((one) => one.messageId === messageId);
    // It was ended before: later text does not count.
    if (!kept.state || found?.role !== 'agent') return ReplyNotWritten({});
    return replyIn(kit, kept.state, found);
  }

  async #fail(
    { context, conversation, pending, meter }: Omit<Writing, 'agent'>,
    reason: string,
  ): Promise<Refusal | null> {
    const { conversationId, startedBy: by } = conversation;
    const data = { by, requestId: pending.requestId, reason, usage: meter.take() };
    const failed = await this.#conversations.send(conversationId, { type: 'Fail', data }, context);
    return isRefusal(failed) ? failed : null;
  }
}
