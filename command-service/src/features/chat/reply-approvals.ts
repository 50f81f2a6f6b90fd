import type { AnswerTurns, EngineTool } from '@tallyhand/agent-runtime/engine';
import type { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import type { ReplyWaits } from '@tallyhand/contracts/features/chat/chat.endpoints';
import type { DecideApprovalInput } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import {
  ApprovalDecided,
  ApprovalLapsed,
} from '@tallyhand/contracts/features/tasks/tasks.refusals';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { storable } from '@tallyhand/service-kit/storable';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import {
  type AskedApproval,
  type AskedCall,
  approvalDeadline,
  keptTurns,
  ToolApprovals,
  turnsBefore,
  type UsableTool,
} from '../../kit/tool-approvals.ts';
import { type LoggedCall, toolCallLog } from '../../kit/tool-call-log.ts';
import {
  type AskedReply,
  type ConversationCommand,
  conversationStream,
  type ExistingConversation,
  type Pending,
} from './conversation.decider.ts';

const TOOL_CALLS_MAX = 10;
/** From a decision to the reply, with the attempts of other workers after a crash. */
const CONTINUED_MS_MAX = 600_000;

/** What is encrypted in a decision. */
type DecidedContent = Pick<NonNullable<AskedApproval['decided']>, 'arguments' | 'note'>;

/** What an earlier process did for a reply that it could not finish. */
type Before = {
  readonly approvals: readonly (AskedApproval & Pick<AskedReply, 'approvalId'>)[];
  readonly calls: readonly LoggedCall[];
};

/** The answer to a call whose reply waits. */
export const waits = (
  { conversationId }: ExistingConversation,
  { inReplyTo: messageId }: Pending,
  { approvalId }: Pick<AskedReply, 'approvalId'>,
): { readonly reply: { readonly status: 202; readonly body: ReplyWaits } } => ({
  reply: { status: 202, body: { conversationId, messageId, approvalId } },
});

/** Null if the member was erased. */
export async function doneBefore(
  { personKeys }: Pick<Kit, 'personKeys'>,
  { startedBy, approvals, toolCalls }: ExistingConversation,
): Promise<Before | null> {
  let isErased = false;
  const reveal = async <T>(text: Ciphertext | null | undefined, otherwise: T): Promise<T> => {
    if (!text) return otherwise;
    const revealed = await personKeys.reveal(startedBy, text);
    isErased ||= revealed === ERASED;
    return isErased ? otherwise : (JSON.parse(revealed) as T);
  };
  const [calls, asked] = await Promise.all([
    Promise.all(toolCalls.map((call) => reveal<LoggedCall | null>(call, null))),
    Promise.all(
      approvals.map(async ({ decided, ...one }) => ({
        ...one,
        arguments: JSON.stringify(await reveal(one.arguments, {})),
        turns: JSON.stringify(await reveal(one.turns, [])),
        step: null,
        decided: decided && {
          ...decided,
          ...(await reveal<DecidedContent>(decided.answer, {})),
        },
      })),
    ),
  ]);
  return isErased ? null : { approvals: asked, calls: calls.filter((call) => call !== null) };
}

type ReplyWriting = {
  readonly contextFor: () => CommandContext;
  readonly pending: Pending;
  readonly meter: UsageMeter;
};

/** The tools of a reply that may wait for decisions. */
export class ReplyTools {
  readonly #kit: Kit;
  readonly #conversation: ExistingConversation;
  readonly #writing: ReplyWriting;
  readonly #before: Before;
  readonly #calls;
  readonly #approvals: ToolApprovals;
  #noted: number;
  #said: readonly unknown[] = [];
  /** The approval that this run has asked for. */
  asked: Pick<AskedReply, 'approvalId'> | null = null;

  constructor(kit: Kit, conversation: ExistingConversation, writing: ReplyWriting, before: Before) {
    this.#kit = kit;
    this.#conversation = conversation;
    this.#writing = writing;
    this.#before = before;
    this.#noted = before.calls.length;
    const isContinued = before.approvals.length > 0 || before.calls.length > 0;
    this.#calls = toolCallLog({
      by: 'reply',
      callsMax: TOOL_CALLS_MAX,
      before: before.calls,
      // Without an approval, calls are stored with the reply.
      note: async (call) => {
        if (isContinued) await this.#note([call]);
      },
    });
    this.#approvals = new ToolApprovals({
      approvals: before.approvals,
      isMade: this.#calls.isKnown,
      ask: (call) => this.#ask(call),
    });
  }

  /** Aborted when a call waits. */
  get waits(): AbortSignal {
    return this.#approvals.waits;
  }

  get turns(): AnswerTurns {
    return {
      earlier: turnsBefore(this.#before.approvals, null),
      note: (all) => {
        this.#said = all;
      },
    };
  }

  tool(usable: UsableTool): EngineTool {
    return this.#approvals.tool({ ...usable, tool: this.#calls.tool(usable.tool, null) }, null);
  }

  /** All calls for the reply, in order. */
  made(): readonly LoggedCall[] {
    const made = this.#calls.made();
    const others = this.#before.calls.filter((one) => !made.includes(one));
    return [...others, ...made].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** The calls so far are stored with the request: they must not be repeated after the decision. */
  async #ask({ arguments: args, step: _, ...call }: AskedCall) {
    await this.#note(this.made().slice(this.#noted));
    const { approvals } = this.#conversation;
    const { pending, meter, contextFor } = this.#writing;
    const approvalId = derivedId(pending.requestId, `approval-${approvals.length + 1}`);
    const data = {
      ...call,
      ...this.#request(),
      approvalId,
      arguments: await this.#encrypt(args),
      turns: await this.#encrypt(keptTurns(this.#said)),
      deadline: approvalDeadline(new Date()),
      usage: meter.take(),
    };
    const sent = await this.#send({ type: 'RequestApproval', data }, contextFor());
    // The member may have stopped the reply just before.
    const isAsked =
      !isRefusal(sent) && sent.state?.approvals.some((one) => one.approvalId === approvalId);
    if (isAsked) this.asked = { approvalId };
  }

  async #note(calls: readonly LoggedCall[]) {
    for (const call of calls) {
      this.#noted += 1;
      const ordinal = this.#noted;
      const data = { ...this.#request(), ordinal, call: await this.#encrypt(JSON.stringify(call)) };
      await this.#send({ type: 'NoteToolCall', data }, this.#writing.contextFor());
    }
  }

  #request() {
    return { by: this.#conversation.startedBy, requestId: this.#writing.pending.requestId };
  }

  #encrypt(text: string) {
    const { startedBy, organizationId } = this.#conversation;
    return this.#kit.vault.encrypt(startedBy, organizationId, storable(text));
  }

  #send(...sent: [command: ConversationCommand, context: CommandContext]) {
    const conversations = this.#kit.streams.of(conversationStream);
    return conversations.send(this.#conversation.conversationId, ...sent);
  }
}

/** Decides on a call of a reply, which is then continued in the background. */
export async function decideOn(
  kit: Kit,
  conversation: ExistingConversation,
  { arguments: changed, note, ...decided }: DecideApprovalInput,
  { decidedBy, context }: { readonly decidedBy: string; readonly context: CommandContext },
): Promise<Refusal | null> {
  const { conversationId, organizationId, startedBy } = conversation;
  const before = await doneBefore(kit, conversation);
  if (!before) return ApprovalLapsed({});
  const content: DecidedContent = {
    ...(changed ? { arguments: JSON.stringify(changed) } : {}),
    ...(note ? { note } : {}),
  };
  const asked = before.approvals.find((one) => one.approvalId === decided.approvalId);
  if (!asked) return NotFound({ what: 'approval' });
  // The stored decision is encrypted: only here can a repeat be told from another decision.
  const isSame =
    asked.decided?.arguments === content.arguments && asked.decided?.note === content.note;
  if (asked.decided && !isSame) return ApprovalDecided({ decision: asked.decided.decision });
  const hasContent = Object.keys(content).length > 0;
  const data = {
    ...decided,
    ...(hasContent
      ? { answer: await kit.vault.encrypt(startedBy, organizationId, JSON.stringify(content)) }
      : {}),
    decidedBy,
    now: context.now,
    deadline: new Date(context.now.getTime() + CONTINUED_MS_MAX).toISOString(),
  };
  const conversations = kit.streams.of(conversationStream);
  const sent = await conversations.send(conversationId, { type: 'DecideApproval', data }, context);
  return isRefusal(sent) ? sent : null;
}
