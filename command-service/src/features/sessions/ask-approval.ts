import type { JsonObject, ToolOperation } from '@tallyhand/agent-runtime/engine';
import type { FormPolicy } from '@tallyhand/contracts/features/agents/agents.fields';
import type { askApproval } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  APPROVAL_MINUTES,
  APPROVALS_MINUTES_MAX,
  SUBMIT_FORM,
} from '@tallyhand/contracts/features/sessions/sessions.fields';
import {
  NotYourClaim,
  SessionEnded,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import { APPROVAL_ARGUMENTS_MAX } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { CommandContext } from '../../kit/context.ts';
import {
  approvalMsLeft,
  deadlineOf,
  type SessionApproval,
  type WantedCall,
} from './approval-state.ts';
import { resourcesOf } from './assignments.ts';
import { verdictOn } from './call-verdict.ts';
import { isNextStep, type RequestedSession } from './session-state.ts';
import type { SessionAgent, Sessions, SessionTool } from './sessions.ts';

type Body = BodyOf<typeof askApproval>;
type Answer = AnswerOf<typeof askApproval>;
type ToolCall = Omit<Extract<Body['call'], { kind: 'tool' }>, 'kind'>;
type Asking = {
  readonly sessionId: string;
  readonly stepNumber: number;
  readonly contextFor: (organizationId: string) => CommandContext;
};

/** A tool's operation that the agent may use now, and how a person sees the call. */
export type WantedTool = SessionTool & {
  readonly operation: ToolOperation;
  readonly call: WantedCall;
};

export const NO_SUCH_TOOL = 'The agent has no such tool, or it has no such operation.';
const NO_FORMS = 'This agent may not send forms.';
const TOO_LONG = 'This is too long for a person to approve.';
const UNREAD = 'It could not be seen what the page would send. Open the page again.';
const WAITED_ENOUGH = `The session has waited for ${APPROVALS_MINUTES_MAX} minutes in all; no more approvals are requested.`;

/** Null if the agent has no such tool. */
export async function wantedTool(
  sessions: Sessions,
  { agentId, organizationId }: RequestedSession,
  { toolId, operation: name, args }: ToolCall,
): Promise<WantedTool | null> {
  const agent = await sessions.findAgent(agentId, organizationId);
  const assigned = agent?.tools.filter((id) => id === toolId) ?? [];
  const { tools } = await resourcesOf(sessions, assigned, organizationId);
  const found = tools[0];
  const operation = found?.tool.operations.find((one) => one.name === name);
  if (!found || !operation) return null;
  const call = {
    toolId,
    toolVersion: found.version,
    toolName: found.tool.title,
    operation: name,
    arguments: JSON.stringify(args),
  };
  return { ...found, operation, call };
}

/** Agents from before form policies send all forms. A deleted one sends none. */
export const formPolicyOf = (agent: Pick<SessionAgent, 'formPolicy'> | null): FormPolicy =>
  agent ? (agent.formPolicy ?? 'allow') : 'never';

type Wanted = { readonly call: WantedCall; readonly asks: (args: JsonObject) => boolean };

/** The call or the form, or why it is never made or sent. */
async function wantedBy(
  sessions: Sessions,
  session: RequestedSession,
  wanted: Body['call'],
): Promise<Wanted | string> {
  if (wanted.kind !== 'tool') {
    const agent = await sessions.findAgent(session.agentId, session.organizationId);
    const policy = formPolicyOf(agent);
    if (policy === 'never') return NO_FORMS;
    const isRead = wanted.kind === 'form';
    if (!isRead && policy === 'ask') return UNREAD;
    const call = {
      toolId: null,
      toolVersion: null,
      toolName: isRead ? wanted.host : '',
      operation: SUBMIT_FORM,
      arguments: JSON.stringify(isRead ? wanted.args : {}),
    };
    return { call, asks: () => policy === 'ask' };
  }
  const { kind: _, ...toolCall } = wanted;
  const tool = await wantedTool(sessions, session, toolCall);
  if (!tool) return NO_SUCH_TOOL;
  return { call: tool.call, asks: (args) => tool.asks(tool.operation, args) };
}

/** Whether the call of a step may be made. Records a call that waits, and that it expired. */
export async function answerAsk(
  sessions: Sessions,
  { sessionId, stepNumber, contextFor }: Asking,
  { runnerId, call }: Body,
): Promise<Answer | Refusal> {
  const session = await sessions.heldBy(runnerId, sessionId);
  if (isRefusal(session)) return session;
  const answered = (answer: Answer['answer'], output: string | null, now = session): Answer => ({
    answer,
    output,
    isApproved: false,
    deadline: deadlineOf(now),
  });
  // The runner learns about the takeover in a moment.
  if (session.takenOverBy) return answered('wait', null);
  if (!isNextStep(session, stepNumber)) return NotYourClaim({});
  const context = contextFor(session.organizationId);
  const reason = await sessions.hindrance(session);
  if (reason) {
    const data = { reason, terminatedBy: null } as const;
    const ended = await sessions.end(context, sessionId, { type: 'TerminateSession', data });
    return isRefusal(ended) ? ended : SessionEnded({});
  }
  const wanted = await wantedBy(sessions, session, call);
  if (typeof wanted === 'string') return answered('refused', wanted);
  const judge = (now: RequestedSession) => verdictOn(now, wanted.call, wanted.asks);
  const verdict = judge(session);
  switch (verdict.kind) {
    case 'go':
      return { ...answered('go', null), isApproved: verdict.approvalId !== null };
    case 'refused':
      return answered('refused', verdict.output);
    case 'wait': {
      if (Date.parse(verdict.approval.deadline) > context.now.getTime()) {
        return answered('wait', null);
      }
      const now = await expire(sessions, session, verdict.approval, context);
      if (isRefusal(now)) return now;
      const decided = judge(now);
      return decided.kind === 'refused'
        ? answered('refused', decided.output, now)
        : answered('wait', null, now);
    }
    case 'ask':
      break;
  }
  if (wanted.call.arguments.length > APPROVAL_ARGUMENTS_MAX) return answered('refused', TOO_LONG);
  const eachMs = sessions.kit.settings.sessionApprovalMs ?? APPROVAL_MINUTES * 60_000;
  const waitMs = approvalMsLeft(session, eachMs);
  if (waitMs === null) return answered('refused', WAITED_ENOUGH);
  const deadline = new Date(context.now.getTime() + waitMs).toISOString();
  const data = { ...wanted.call, approvalId: newId(), deadline };
  const asked = await sessions.streams.send(sessionId, { type: 'RequestApproval', data }, context);
  if (isRefusal(asked)) return asked;
  return answered('wait', null, asked.state ?? session);
}

/** No member has decided in time. One may just have. */
async function expire(
  sessions: Sessions,
  { sessionId }: RequestedSession,
  { approvalId }: SessionApproval,
  context: CommandContext,
): Promise<RequestedSession | Refusal> {
  const data = { approvalId, decision: 'refused', forRun: false, decidedBy: null } as const;
  await sessions.streams.send(sessionId, { type: 'DecideApproval', data }, context);
  const now = await sessions.load(sessionId);
  return now && !now.end ? now : SessionEnded({});
}
