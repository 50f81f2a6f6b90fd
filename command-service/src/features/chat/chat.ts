import type { AnswerEngine, AttachedImage, Passage } from '@tallyhand/agent-runtime/engine';
import type {
  AgentModel,
  AgentProfile,
  FormPolicy,
} from '@tallyhand/contracts/features/agents/agents.fields';
import type { AttachmentFacts } from '@tallyhand/contracts/features/attachments/attachments.fields';
import type { ChatReply } from '@tallyhand/contracts/features/chat/chat.endpoints';
import type { ChatBudgetInput } from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { TracedJob } from '@tallyhand/service-kit/tracing/tracing';
import type { Caller, Kit } from '../../kit/app.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import type { UsableTool } from '../../kit/tool-approvals.ts';
import {
  conversationStream,
  type ExistingConversation,
  type Said,
} from './conversation.decider.ts';

const TITLE_LENGTH = 60;
/** How many earlier messages the agent gets. */
const EARLIER_MAX = 10;

export type TalkingAgent = AgentProfile & {
  readonly isActive: boolean;
  readonly version: number;
  readonly articles: readonly string[];
  readonly tools: readonly string[];
  readonly model: AgentModel | null;
  readonly formPolicy?: FormPolicy | undefined;
};

/** Continues a reply after a decision. */
export type ReplyJob = TracedJob & {
  readonly conversationId: string;
  readonly organizationId: string;
  readonly requestId: string;
  /** The call and the command of the decision. */
  readonly correlationId: string;
  readonly causationId: string;
  /** The read models must have reached it, so that the agent sees recent changes. */
  readonly position: string;
};

export type ChatContext = {
  readonly kit: Kit;
  readonly completions: CompletionSignals;
  readonly organizations: {
    setChatTokenBudget(
      context: CommandContext,
      set: ChatBudgetInput & { readonly organizationId: string },
    ): Promise<Refusal | null>;
  };
  /** The engine that answers for an agent. */
  readonly engineOf: (organizationId: string, model: AgentModel | null) => Promise<AnswerEngine>;
  /** Of a member or an API key; null if it is gone. */
  readonly nameOf: (id: string, organizationId: string) => Promise<string | null>;
  readonly findAgent: (id: string, organizationId: string) => Promise<TalkingAgent | null>;
  /** Those of the ids that can be called. */
  readonly findTools: (
    ids: readonly string[],
    organizationId: string,
    replyId: string,
    use: { readonly formPolicy: FormPolicy | undefined },
  ) => Promise<readonly UsableTool[]>;
  /** Closes what the reply's tools have opened. */
  readonly closeTools: (replyId: string) => void;
  readonly findPassages: (
    organizationId: string,
    articles: readonly string[],
    question: string,
    options: { readonly since: Position; readonly signal: AbortSignal },
  ) => Promise<Passage[]>;
  /** Files of messages. */
  readonly attachments: {
    find(sending: Sending, ids: readonly string[]): Promise<readonly NamedAttachment[] | Refusal>;
    send(
      sending: Sending & { readonly conversationId: string },
      ids: readonly string[],
    ): Promise<readonly NamedAttachment[] | Refusal>;
    unsend(sending: Omit<Sending, 'userId'>): Promise<void>;
    open(
      organizationId: string,
      own: readonly NamedAttachment[],
      earlier: readonly NamedAttachment[],
    ): Promise<{
      readonly images: readonly AttachedImage[];
      readonly passagesFor: (question: string) => Passage[];
    }>;
    forgetConversation(organizationId: string, conversationId: string): Promise<void>;
  };
};

type NamedAttachment = AttachmentFacts & { readonly name: string };
type Sending = Pick<Caller, 'userId' | 'organizationId'> & { readonly sentWith: string };

/** A conversation that the caller started. Others do not exist for them. */
export async function findOwn(
  kit: Kit,
  caller: Caller,
  id: string,
): Promise<ExistingConversation | Refusal> {
  const found = await kit.streams.of(conversationStream).load(id);
  const isOwn = found?.startedBy === caller.userId && !found.isDeleted;
  return isOwn ? found : NotFound({ what: 'conversation' });
}

/** The conversation that the caller continues, or a new one. */
export async function begin(
  kit: Kit,
  caller: Caller,
  context: CommandContext,
  agentId: string,
  asked: { readonly message: string; readonly conversationId?: string | undefined },
): Promise<ExistingConversation | Refusal> {
  const { organizationId, userId: startedBy } = caller;
  if (asked.conversationId) {
    const found = await findOwn(kit, caller, asked.conversationId);
    if (isRefusal(found) || found.agentId === agentId) return found;
    return NotFound({ what: 'conversation' });
  }
  const conversationId = idFor(context, 'conversation');
  const title = await kit.vault.encrypt(startedBy, organizationId, titleOf(asked.message));
  const data = { conversationId, organizationId, agentId, startedBy, title };
  const conversations = kit.streams.of(conversationStream);
  const answer = await conversations.send(conversationId, { type: 'Start', data }, context);
  if (isRefusal(answer)) return answer;
  return answer.state ?? NotFound({ what: 'conversation' });
}

/** The conversation before the answered message, as context for the engine. */
export async function earlierMessages(
  kit: Kit,
  { startedBy, said }: ExistingConversation,
  messageId: string,
) {
  const before = said.slice(
    0,
    said.findIndex((one) => one.messageId === messageId),
  );
  const texts = before.slice(-EARLIER_MAX).map(async (one) => {
    if (one.role === 'user') {
      const names = (await attachmentsOf(kit, startedBy, one)).map(({ name }) => name);
      const attached = names.length > 0 ? ` (attached: ${names.join(', ')})` : '';
      return `Person: ${await kit.personKeys.reveal(startedBy, one.text)}${attached}`;
    }
    return `You: ${(await writtenIn(kit, startedBy, one)).response}`;
  });
  if (texts.length === 0) return {};
  const lines = await Promise.all(texts);
  return { context: `What was said before in this conversation:\n\n${lines.join('\n\n')}` };
}

/** The files of a message with their names; none for an erased person. */
export async function attachmentsOf(
  { personKeys }: Kit,
  by: string,
  message: Extract<Said, { role: 'user' }>,
): Promise<NamedAttachment[]> {
  const { attachments = [], attachmentNames } = message;
  if (!attachmentNames) return [];
  const text = await personKeys.reveal(by, attachmentNames);
  if (!text.startsWith('[')) return [];
  const names = JSON.parse(text) as readonly string[];
  return attachments.map((one, at) => ({ ...one, name: names[at] ?? '' }));
}

type Written = Pick<ChatReply, 'response' | 'sources' | 'toolCalls'>;
type Kept = Extract<Said, { role: 'agent' }>;

/** A stored reply as the API returns it. */
export async function replyIn(
  kit: Kit,
  { conversationId, startedBy }: ExistingConversation,
  kept: Kept,
): Promise<ChatReply> {
  const { messageId, isStopped: stopped } = kept;
  return { ...(await writtenIn(kit, startedBy, kept)), conversationId, messageId, stopped };
}

/** For an erased person, the placeholder of unreadable text. */
async function writtenIn({ personKeys }: Kit, by: string, { reply }: Kept): Promise<Written> {
  const text = await personKeys.reveal(by, reply);
  const nothing = { sources: [], toolCalls: [] };
  // Replies of older releases are plain text, without tool calls.
  return text.startsWith('{')
    ? { ...nothing, ...(JSON.parse(text) as Written) }
    : { ...nothing, response: text };
}

/** The beginning of the first message, whole words. */
function titleOf(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 20 ? cut.lastIndexOf(' ') : TITLE_LENGTH)}…`;
}
