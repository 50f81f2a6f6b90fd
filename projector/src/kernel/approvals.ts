import type { ApprovalRow } from '@tallyhand/read-models/kernel/approvals';

type Asked = Pick<
  ApprovalRow,
  'toolId' | 'toolName' | 'toolVersion' | 'operation' | 'arguments'
> & { readonly approvalId: string; readonly deadline: string; readonly step?: number | null };

type Decided = {
  readonly approvalId: string;
  readonly decision: NonNullable<ApprovalRow['decision']>;
  readonly arguments?: string | undefined;
  readonly note?: string | undefined;
  readonly forRun: boolean;
  readonly decidedBy: string | null;
};

/** The approvals of a piece of work, and the columns of the one that waits since `at`. */
export function withAsked(approvals: readonly ApprovalRow[], asked: Asked, at: string) {
  const { approvalId: id, toolId, toolName, toolVersion, operation, step = null } = asked;
  const call = { id, toolId, toolName, toolVersion, operation, arguments: asked.arguments, step };
  const undecided = {
    decision: null,
    changedArguments: null,
    note: null,
    forRun: false,
    decidedAt: null,
    decidedBy: null,
  };
  const waiting = { ...call, createdAt: at, expiresAt: asked.deadline, ...undecided };
  return { approval_id: id, approval_at: at, approvals: [...approvals, waiting] };
}

/** The columns of work in which no call waits. */
export const NOT_WAITING = { approval_id: null, approval_at: null } as const;

export function withDecision(approvals: readonly ApprovalRow[], decided: Decided, at: string) {
  const { approvalId, decision, forRun, decidedBy, note = null } = decided;
  const { arguments: changedArguments = null } = decided;
  const by = { decision, changedArguments, note, forRun, decidedAt: at, decidedBy };
  return {
    ...NOT_WAITING,
    approvals: approvals.map((one) => (one.id === approvalId ? { ...one, ...by } : one)),
  };
}
