import {
  SessionApprovalDecided,
  type SessionApprovalRequested,
  SessionApprovalUsed,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import { APPROVALS_MINUTES_MAX } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { SessionEnded } from '@tallyhand/contracts/features/sessions/sessions.refusals';
import {
  ApprovalDecided,
  ApprovalLapsed,
} from '@tallyhand/contracts/features/tasks/tasks.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';

type Ids = 'sessionId' | 'organizationId';
type Requested = Omit<Parameters<typeof SessionApprovalRequested>[0], Ids>;
export type Decision = Omit<Parameters<typeof SessionApprovalDecided>[0], Ids | 'approvalId'>;

/** A call of a tool, or a form, that members decide on. */
export type SessionApproval = Requested & {
  readonly requestedAt: string;
  readonly decided: Decision | null;
  /** The approved call was about to be made. */
  readonly isUsed: boolean;
};

/** The approvals of a session, of which one at most belongs to the step that the agent takes. */
export type ApprovalState = {
  readonly approvals: readonly SessionApproval[];
  readonly openApproval: string | null;
  /** How long the session has waited for decisions. */
  readonly waitedMs: number;
};

export const NO_APPROVALS: ApprovalState = { approvals: [], openApproval: null, waitedMs: 0 };

type Waiting = ApprovalState & { readonly deadline: string; readonly end: object | null };
type Own = Waiting & { readonly sessionId: string; readonly organizationId: string };

export const openApprovalOf = ({ approvals, openApproval }: ApprovalState) =>
  approvals.find(({ approvalId }) => approvalId === openApproval) ?? null;

/** The approval that the session waits for. */
export function waitsFor(session: Waiting): SessionApproval | null {
  const open = session.end ? null : openApprovalOf(session);
  return open?.decided ? null : open;
}

/** Waiting for a decision does not count against the session's time. */
export function deadlineOf(session: Waiting): string {
  const waiting = waitsFor(session);
  if (!waiting) return session.deadline;
  return later(waiting.deadline, Date.parse(session.deadline) - Date.parse(waiting.requestedAt));
}

const later = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString();

/** The session from this moment on, when it no longer waits. */
function resumed<S extends Waiting>(session: S, at: string): S {
  const waiting = waitsFor(session);
  if (!waiting) return session;
  const waitedMs = Math.max(0, Date.parse(at) - Date.parse(waiting.requestedAt));
  const deadline = later(session.deadline, waitedMs);
  return { ...session, deadline, waitedMs: session.waitedMs + waitedMs };
}

/** Less time than this is too short for a person to decide. */
const DECIDE_MS_MIN = 60_000;

/** How long a further call may wait; null if the session has waited for too long in all. */
export function approvalMsLeft({ waitedMs }: ApprovalState, eachMs: number): number | null {
  const leftMs = APPROVALS_MINUTES_MAX * 60_000 - waitedMs;
  return leftMs < DECIDE_MS_MIN ? null : Math.min(eachMs, leftMs);
}

export function approvalRequested<S extends Waiting>(session: S, asked: Requested, at: string): S {
  const { approvalId, toolId, toolVersion, toolName, operation, deadline } = asked;
  const call = { approvalId, toolId, toolVersion, toolName, operation, deadline };
  const approval = {
    ...call,
    arguments: asked.arguments,
    requestedAt: at,
    decided: null,
    isUsed: false,
  };
  const { approvals } = session;
  return {
    ...resumed(session, at),
    approvals: [...approvals, approval],
    openApproval: approvalId,
  };
}

export function approvalDecided<S extends Waiting>(
  session: S,
  { approvalId, decision, arguments: changed, note, forRun, decidedBy }: DecideData,
  at: string,
): S {
  const decided = { decision, arguments: changed, note, forRun, decidedBy };
  return changedApproval(resumed(session, at), approvalId, { decided });
}

export const approvalUsed = <S extends Waiting>(session: S, approvalId: string): S =>
  changedApproval(session, approvalId, { isUsed: true });

function changedApproval<S extends Waiting>(
  session: S,
  id: string,
  change: Partial<SessionApproval>,
): S {
  const approvals = session.approvals.map((one) =>
    one.approvalId === id ? { ...one, ...change } : one,
  );
  return { ...session, approvals };
}

/** The step that asked has ended: its approval counts no more. */
export const approvalClosed = <S extends Waiting>(session: S, at: string): S => ({
  ...resumed(session, at),
  openApproval: null,
});

/** A form is lost with its browser. */
export const formClosed = <S extends Waiting>(session: S, at: string): S =>
  openApprovalOf(session)?.toolId === null ? approvalClosed(session, at) : session;

export type DecideData = Decision & { readonly approvalId: string };

export function decideApproval(data: DecideData, session: Own) {
  const { sessionId, organizationId, approvals, openApproval } = session;
  const asked = approvals.find(({ approvalId }) => approvalId === data.approvalId);
  if (!asked) return NotFound({ what: 'approval' });
  if (asked.decided) {
    const { decision } = asked.decided;
    return isSameDecision(asked.decided, data) ? [] : ApprovalDecided({ decision });
  }
  if (session.end) return SessionEnded({});
  if (openApproval !== data.approvalId) return ApprovalLapsed({});
  return [SessionApprovalDecided({ sessionId, organizationId, ...data })];
}

/** A repeated call is a retry. */
const isSameDecision = (decided: Decision, data: DecideData) =>
  decided.decidedBy === data.decidedBy &&
  decided.decision === data.decision &&
  decided.arguments === data.arguments &&
  decided.note === data.note &&
  decided.forRun === data.forRun;

/** An approval counts for one call, also if the runner or this process dies while it is made. */
export function useApproval(approvalId: string, session: Own) {
  const { sessionId, organizationId, end } = session;
  if (end) return SessionEnded({});
  const open = openApprovalOf(session);
  const isUsable =
    open?.approvalId === approvalId && open.decided?.decision === 'approved' && !open.isUsed;
  return isUsable
    ? [SessionApprovalUsed({ sessionId, organizationId, approvalId })]
    : ApprovalLapsed({});
}

/** A call or a form that an agent wants. */
export type WantedCall = Pick<
  Requested,
  'toolId' | 'toolVersion' | 'toolName' | 'operation' | 'arguments'
>;

export const isSameCall = (one: WantedCall, other: WantedCall) =>
  one.toolId === other.toolId &&
  one.operation === other.operation &&
  one.arguments === other.arguments;
