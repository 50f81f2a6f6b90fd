import type { JsonObject } from '@tallyhand/agent-runtime/engine';
import {
  type ApprovalState,
  type Decision,
  isSameCall,
  openApprovalOf,
  type SessionApproval,
  type WantedCall,
} from './approval-state.ts';

export type Verdict =
  /** `approvalId` is null if no approval was needed for this call. */
  | { readonly kind: 'go'; readonly args: JsonObject; readonly approvalId: string | null }
  | { readonly kind: 'refused'; readonly output: string }
  | { readonly kind: 'wait'; readonly approval: SessionApproval }
  | { readonly kind: 'ask' };

/** Whether a call may be made now. `asks`: whether its policy wants a person with these arguments. */
export function verdictOn(
  session: ApprovalState,
  call: WantedCall,
  asks: (args: JsonObject) => boolean,
): Verdict {
  const open = openApprovalOf(session);
  const own = open && isSameCall(open, call) ? open : null;
  // A refusal counts even if the policy or the tool has changed since.
  if (own?.decided?.decision === 'refused') {
    return { kind: 'refused', output: refusedBy(own.decided, call) };
  }
  const isCurrent = own?.toolVersion === call.toolVersion;
  const args: JsonObject = JSON.parse(own?.decided?.arguments ?? call.arguments);
  if (own?.decided && isCurrent) return { kind: 'go', args, approvalId: own.approvalId };
  if (!asks(args) || isApprovedForRun(session, call)) return { kind: 'go', args, approvalId: null };
  return own && isCurrent ? { kind: 'wait', approval: own } : { kind: 'ask' };
}

const isApprovedForRun = ({ approvals }: ApprovalState, { toolId, toolVersion }: WantedCall) =>
  toolId !== null &&
  approvals.some(
    (one) => one.decided?.forRun && one.toolId === toolId && one.toolVersion === toolVersion,
  );

function refusedBy({ note, decidedBy }: Decision, { toolId }: WantedCall): string {
  if (decidedBy === null) return 'No decision was made in time.';
  const what = toolId === null ? 'form' : 'call';
  return note ? `A person refused this ${what}: ${note}` : `A person refused this ${what}.`;
}
