import type {
  SessionEvent,
  SessionRequested,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EndReason, Outcome } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import {
  type ApprovalState,
  approvalClosed,
  approvalDecided,
  approvalRequested,
  approvalUsed,
  formClosed,
  NO_APPROVALS,
} from './approval-state.ts';

type Requested = Parameters<typeof SessionRequested>[0];
export type Step = Omit<Parameters<typeof StepTaken>[0], 'sessionId' | 'organizationId'>;

type KeptStep = Pick<
  Step,
  | 'stepId'
  | 'stepNumber'
  | 'takenBy'
  | 'action'
  | 'input'
  | 'output'
  | 'success'
  | 'interrupted'
  | 'url'
  | 'title'
  | 'screenshots'
  | 'finding'
> & { readonly at: string };

export type SessionEnd = {
  readonly status: 'completed' | 'failed' | 'terminated';
  readonly reason: EndReason;
  readonly error: string | null;
  readonly code: string | null;
  readonly params: SentenceParams;
  readonly outcome: Outcome;
  readonly at: string;
};

export type RequestedSession = Requested &
  ApprovalState & {
    readonly requestedAt: string;
    /** Null while it is queued. */
    readonly started: {
      readonly at: string;
      readonly browserSessionId: string;
      readonly model: string;
    } | null;
    /** The member who has taken over. */
    readonly takenOverBy: string | null;
    /** The member who took over last, even if control was handed back. */
    readonly lastTakenOverBy: string | null;
    readonly creditsUsed: number;
    /** All steps, in order. */
    readonly steps: readonly KeptStep[];
    readonly end: SessionEnd | null;
  };

/** A session ends once; later events change nothing. */
export type Session = RequestedSession | null;

export function evolve(session: Session, event: SessionEvent, at: string): Session {
  if (event.type === 'SessionRequested') {
    return {
      ...event.data,
      requestedAt: at,
      started: null,
      takenOverBy: null,
      lastTakenOverBy: null,
      creditsUsed: 0,
      steps: [],
      ...NO_APPROVALS,
      end: null,
    };
  }
  return session && follow(session, event, at);
}

function follow(
  session: RequestedSession,
  event: Exclude<SessionEvent, { type: 'SessionRequested' }>,
  at: string,
): RequestedSession {
  switch (event.type) {
    case 'SessionStarted': {
      const { browserSessionId, model } = event.data;
      const first = session.started?.at ?? at;
      const started = { at: first, browserSessionId, model };
      return { ...formClosed(session, at), started };
    }
    case 'StepTaken': {
      const creditsUsed = session.creditsUsed + event.data.creditsUsed;
      const steps = [...session.steps, keptStep(event.data, at)];
      const next = event.data.takenBy === null ? approvalClosed(session, at) : session;
      return { ...next, creditsUsed, steps };
    }
    case 'SessionTakenOver': {
      const { takenOverBy } = event.data;
      return { ...approvalClosed(session, at), takenOverBy, lastTakenOverBy: takenOverBy };
    }
    case 'SessionHandedBack':
      return { ...session, takenOverBy: null };
    case 'SessionApprovalRequested':
      return approvalRequested(session, event.data, at);
    case 'SessionApprovalDecided':
      return approvalDecided(session, event.data, at);
    case 'SessionApprovalUsed':
      return approvalUsed(session, event.data.approvalId);
    case 'SessionCompleted':
      return ended(session, { ...event.data, ...NO_FAILURE, status: 'completed', at });
    case 'SessionFailed':
      return ended(session, { ...event.data, status: 'failed', at });
    case 'SessionTerminated':
      return ended(session, { ...event.data, ...NO_FAILURE, status: 'terminated', at });
  }
}

const NO_FAILURE = { error: null, code: null, params: {} };

const keptStep = (step: Step, at: string): KeptStep => ({
  stepId: step.stepId,
  stepNumber: step.stepNumber,
  takenBy: step.takenBy,
  at,
  action: step.action,
  input: step.input,
  output: step.output,
  success: step.success,
  interrupted: step.interrupted,
  url: step.url,
  title: step.title,
  screenshots: step.screenshots,
  finding: step.finding,
});

const ended = (session: RequestedSession, end: SessionEnd): RequestedSession => {
  const { status, reason, error, code, params, outcome, at } = end;
  const kept = { status, reason, error, code, params, outcome, at };
  return { ...session, takenOverBy: null, end: kept };
};

/** How many steps the agent has used, without those that a member interrupted. */
export const agentSteps = ({ steps }: Pick<RequestedSession, 'steps'>) =>
  steps.filter(({ takenBy, interrupted }) => takenBy === null && !interrupted).length;

/** Whether the agent's next step may have this number. Members' steps may have come in between. */
export const isNextStep = ({ steps }: Pick<RequestedSession, 'steps'>, stepNumber: number) =>
  stepNumber <= steps.length + 1 && steps.slice(stepNumber - 1).every(({ takenBy }) => takenBy);

/** A finding as text, with its page. */
const findingText = ({ text, url }: NonNullable<Step['finding']>) =>
  url ? `${text} (${url})` : text;

/** The outcome of a session whose runner reported none, from its findings. */
export function composeOutcome(session: RequestedSession, reason: EndReason): Outcome {
  const { steps, maxSteps } = session;
  const taken = agentSteps(session);
  const findings = steps.flatMap(({ finding }) => (finding ? [findingText(finding)] : []));
  const lastUrl = steps.findLast(({ url }) => url !== null)?.url;
  const found =
    findings.length === 0 ? 'No findings.' : `${counted(findings.length, 'finding', 'findings')}.`;
  const where = lastUrl ? ` Last page: ${lastUrl}.` : '';
  const progress =
    taken === 0
      ? 'No steps taken.'
      : `${taken} of ${counted(maxSteps, 'step', 'steps')} taken. ${found}`;
  return {
    summary: `${ENDED[reason]} ${progress}${where}`,
    keyFindings: findings,
    nextSteps: [NEXT[reason]],
  };
}

const counted = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

const ENDED: Readonly<Record<EndReason, string>> = {
  'goal-reached': 'Goal reached.',
  'answer-uncertain': 'The session ended without a reliable answer to the goal.',
  'out-of-steps': 'The session used all of its steps before reaching the goal.',
  'out-of-credits': 'The credits ran out before the goal was reached.',
  error: 'Something went wrong before the goal was reached.',
  'runner-lost': 'The browser stopped responding before the goal was reached.',
  'by-person': 'The session was terminated before the goal was reached.',
  'agent-paused': 'The agent was paused before the goal was reached.',
  'agent-deleted': 'The agent was deleted before the goal was reached.',
  'member-removed':
    'The member who started the session left the organization before the goal was reached.',
};

const NEXT: Readonly<Record<EndReason, string>> = {
  'goal-reached': 'Check the findings on their source pages.',
  'answer-uncertain': 'Check the passages found, or rephrase the goal.',
  'out-of-steps': 'Start again with more steps or a narrower goal.',
  'out-of-credits': 'Buy credits or raise the spend limit, then start again.',
  error: 'Start again. If it fails again, simplify the goal.',
  'runner-lost': 'Start again.',
  'by-person': 'Start again if you still need the result.',
  'agent-paused': 'Activate the agent and start again.',
  'agent-deleted': 'Restore the agent, or start with another one.',
  'member-removed': 'Ask another member to start it again.',
};
