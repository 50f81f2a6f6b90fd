import type { AgentProfile, AnswerEngine, Passage } from '@tallyhand/agent-runtime/engine';
import type { ChatReply } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Caller, Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { streamsOf } from '../../kit/streams.ts';
import {
  conversationDecider,
  type ExistingConversation,
  type Said,
} from './conversation.decider.ts';

const TITLE_LENGTH = 60;
/** As much of what was said before as the agent is told. */
const SAID_TOLD = 10;

export type TalkingAgent = AgentProfile & {
  readonly isActive: boolean;
  readonly version: number;
  readonly articles: readonly string[];
};

export type ChatContext = {
  readonly kit: Kit;
  readonly engine: AnswerEngine;
  readonly findAgent: (id: string, organizationId: string) => Promise<TalkingAgent | null>;
  readonly findPassages: (
    organizationId: string,
    articles: readonly string[],
    question: string,
  ) => Promise<Passage[]>;
};

/** Talks between members and agents. */
export function talksOf({ kit, engine, findPassages }: ChatContext) {
  const conversations = streamsOf(conversationDecider, kit.streams);

  /** The conversation that the caller goes on with, or a new one. */
  async function begin(
    caller: Caller,
    context: CommandContext,
    agentId: string,
    asked: { readonly message: string; readonly conversationId?: string | undefined },
  ): Promise<ExistingConversation | Refusal> {
    const { organizationId, userId: startedBy } = caller;
    if (asked.conversationId) {
      const found = await conversations.load(asked.conversationId);
      const isOwn = found?.startedBy === startedBy && found.agentId === agentId;
      return isOwn && !found.isDeleted ? found : NotFound({ what: 'conversation' });
    }
    const conversationId = idFor(context, 'conversation');
    const title = await kit.vault.encrypt(startedBy, organizationId, titleOf(asked.message));
    const data = { conversationId, organizationId, agentId, startedBy, title };
    const answer = await conversations.send(conversationId, { type: 'Start', data }, context);
    if (isRefusal(answer)) return answer;
    return answer.state ?? NotFound({ what: 'conversation' });
  }

  async function toldBefore({ startedBy, said }: ExistingConversation, messageId: string) {
    const before = said.slice(
      0,
      said.findIndex((one) => one.messageId === messageId),
    );
    const texts = before.slice(-SAID_TOLD).map(async (one) => {
      if (one.role === 'user') {
        return `Person: ${await kit.personKeys.reveal(startedBy, one.text)}`;
      }
      return `You: ${(await replyIn(kit, startedBy, one)).response}`;
    });
    if (texts.length === 0) return {};
    const lines = await Promise.all(texts);
    return { context: `What was said before in this conversation:\n\n${lines.join('\n\n')}` };
  }

  /** What the agent says to a message; it is kept before it is told. */
  async function answer(
    context: CommandContext,
    agent: TalkingAgent,
    conversation: ExistingConversation,
    asked: { readonly messageId: string; readonly message: string },
    signal: AbortSignal,
  ): Promise<ChatReply | Refusal> {
    const { conversationId, organizationId, startedBy: by } = conversation;
    const { output, sources, model } = await engine.answer({
      agent,
      input: asked.message,
      passages: await findPassages(organizationId, agent.articles, asked.message),
      ...(await toldBefore(conversation, asked.messageId)),
      signal,
    });
    const reply = { response: output, sources: [...sources] };
    const data = {
      ...{ by, messageId: idFor(context, 'reply'), inReplyTo: asked.messageId, model },
      reply: await kit.vault.encrypt(by, organizationId, JSON.stringify(reply)),
      agentVersion: agent.version,
    };
    const given = await conversations.send(conversationId, { type: 'Reply', data }, context);
    return isRefusal(given) ? given : { ...reply, conversationId };
  }

  return { begin, answer };
}

type Reply = Omit<ChatReply, 'conversationId'>;

/** An erased person's replies are gone: what is left says so. */
export async function replyIn(
  { personKeys }: Kit,
  startedBy: string,
  { reply }: Extract<Said, { role: 'agent' }>,
): Promise<Reply> {
  const text = await personKeys.reveal(startedBy, reply);
  return text.startsWith('{') ? (JSON.parse(text) as Reply) : { response: text, sources: [] };
}

/** The beginning of the first message, whole words. */
function titleOf(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 20 ? cut.lastIndexOf(' ') : TITLE_LENGTH)}…`;
}
