import {
  SessionApprovalRequested,
  type SessionApprovalUsed,
  SessionCompleted,
  type SessionEvent,
  SessionFailed,
  SessionHandedBack,
  SessionRequested,
  SessionStarted,
  SessionTakenOver,
  SessionTerminated,
  StepTaken,
  sessionEvents,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EndReason, Outcome } from '@tallyhand/contracts/features/sessions/sessions.fields';
import {
  NotTakenOver,
  NotYourClaim,
  SessionEnded,
  SessionNotRunning,
  SessionTaken,
  TooManyPersonSteps,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import type {
  ApprovalDecided,
  ApprovalLapsed,
} from '@tallyhand/contracts/features/tasks/tasks.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';
import {
  type DecideData,
  decideApproval,
  isSameCall,
  openApprovalOf,
  useApproval,
} from './approval-state.ts';
import {
  agentSteps,
  composeOutcome,
  evolve,
  isNextStep,
  type RequestedSession,
  type Session,
  type SessionEnd,
  type Step,
} from './session-state.ts';

/** The maximum of members' steps in a session, which keeps its stream short. */
export const PERSON_STEPS_MAX = 500;

type Data<K extends (data: never) => unknown> = Parameters<K>[0];
type Ids = 'sessionId' | 'organizationId';
/** Without an outcome, it is made of the findings. */
type End<K extends (data: never) => { data: { outcome: Outcome } }> = Omit<
  Data<K>,
  Ids | 'outcome'
> & { readonly outcome?: Outcome | null };

export type SessionCommand =
  | EventValue<'RequestSession', Data<typeof SessionRequested>>
  | EventValue<'StartSession', Omit<Data<typeof SessionStarted>, Ids>>
  /** The agent's step; `stepNumber` is the number that it began with. */
  | EventValue<'TakeStep', Omit<Step, 'takenBy' | 'creditsUsed'>>
  | EventValue<'NotePersonStep', Omit<Step, 'stepNumber' | 'creditsUsed'> & { takenBy: string }>
  | EventValue<'TakeOver', { readonly by: string }>
  | EventValue<'HandBack', { readonly by: string | null }>
  | EventValue<'RequestApproval', Omit<Data<typeof SessionApprovalRequested>, Ids>>
  | EventValue<'DecideApproval', DecideData>
  | EventValue<'UseApproval', Omit<Data<typeof SessionApprovalUsed>, Ids>>
  | EventValue<'CompleteSession', End<typeof SessionCompleted>>
  | EventValue<'FailSession', End<typeof SessionFailed>>
  | EventValue<'TerminateSession', End<typeof SessionTerminated>>;

type SessionRefusal = RefusalOf<
  | typeof ApprovalDecided
  | typeof ApprovalLapsed
  | typeof NotFound
  | typeof NotTakenOver
  | typeof NotYourClaim
  | typeof SessionEnded
  | typeof SessionNotRunning
  | typeof SessionTaken
  | typeof TooManyPersonSteps
>;
type Decided = readonly SessionEvent[] | SessionRefusal;

export const sessionDecider: Decider<Session, SessionCommand, SessionEvent, SessionRefusal> = {
  initialState: () => null,
  decide(command, session) {
    if (command.type === 'RequestSession') return session ? [] : [SessionRequested(command.data)];
    if (!session) return NotFound({ what: 'session' });
    const { sessionId, organizationId } = session;
    const own = { sessionId, organizationId };
    switch (command.type) {
      case 'StartSession':
        if (session.started?.browserSessionId === command.data.browserSessionId) return [];
        return session.end ? SessionEnded({}) : [SessionStarted({ ...own, ...command.data })];
      case 'TakeStep':
        return takeStep(command.data, session);
      case 'NotePersonStep':
        return notePersonStep(command.data, session);
      case 'TakeOver':
        return takeOver(command.data.by, session);
      case 'HandBack':
        return handBack(command.data.by, session);
      case 'RequestApproval':
        return requestApproval(command.data, session);
      case 'DecideApproval':
        return decideApproval(command.data, session);
      case 'UseApproval':
        return useApproval(command.data.approvalId, session);
      case 'CompleteSession':
        if (session.end) return [];
        return [SessionCompleted({ ...own, ...command.data, ...outcomeOf(command, session) })];
      case 'FailSession':
        if (session.end) return [];
        return [SessionFailed({ ...own, ...command.data, ...outcomeOf(command, session) })];
      case 'TerminateSession':
        if (session.end) return terminateEnded(session.end, command.data.reason);
        return [SessionTerminated({ ...own, ...command.data, ...outcomeOf(command, session) })];
    }
  },
  evolve,
};

/**
 * The next step, or one that members' steps have overtaken while it ran. The step of a runner that was
 * replaced is behind the agent's own steps, and does not count.
 */
function takeStep(
  step: Extract<SessionCommand, { type: 'TakeStep' }>['data'],
  session: RequestedSession,
): Decided {
  const { sessionId, organizationId, steps, price } = session;
  if (steps.some(({ stepId }) => stepId === step.stepId)) return [];
  if (session.end) return SessionEnded({});
  if (!isNextStep(session, step.stepNumber) || agentSteps(session) >= session.maxSteps)
    return NotYourClaim({});
  const creditsUsed = step.success && !step.interrupted ? price : 0;
  const stepNumber = steps.length + 1;
  return [
    StepTaken({ sessionId, organizationId, ...step, stepNumber, takenBy: null, creditsUsed }),
  ];
}

function notePersonStep(
  step: Extract<SessionCommand, { type: 'NotePersonStep' }>['data'],
  session: RequestedSession,
): Decided {
  const { sessionId, organizationId, steps } = session;
  if (steps.some(({ stepId }) => stepId === step.stepId)) return [];
  if (session.end) return SessionEnded({});
  // Including a step that was running when they handed back.
  if (session.lastTakenOverBy !== step.takenBy) return NotTakenOver({});
  if (isFull(session)) return TooManyPersonSteps({ stepsMax: PERSON_STEPS_MAX });
  const stepNumber = steps.length + 1;
  return [StepTaken({ sessionId, organizationId, ...step, stepNumber, creditsUsed: 0 })];
}

/** Members' steps and those that they interrupted. The agent's own have a separate limit. */
const isFull = (session: RequestedSession) =>
  session.steps.length - agentSteps(session) >= PERSON_STEPS_MAX;

function takeOver(by: string, session: RequestedSession): Decided {
  const { sessionId, organizationId, takenOverBy } = session;
  if (session.end) return SessionEnded({});
  if (!session.started) return SessionNotRunning({});
  if (takenOverBy === by) return [];
  if (takenOverBy) return SessionTaken({});
  if (isFull(session)) return TooManyPersonSteps({ stepsMax: PERSON_STEPS_MAX });
  return [SessionTakenOver({ sessionId, organizationId, takenOverBy: by })];
}

/** Without a member, after inactivity. The member may have handed back in the meantime. */
function handBack(handedBackBy: string | null, session: RequestedSession): Decided {
  const { sessionId, organizationId, takenOverBy, lastTakenOverBy } = session;
  if (session.end) return handedBackBy ? SessionEnded({}) : [];
  const isRepeat = handedBackBy === null || handedBackBy === lastTakenOverBy;
  if (!takenOverBy) return isRepeat ? [] : NotTakenOver({});
  return [SessionHandedBack({ sessionId, organizationId, handedBackBy })];
}

/** A call is asked for once in a step, however often the runner asks. */
function requestApproval(
  asked: Extract<SessionCommand, { type: 'RequestApproval' }>['data'],
  session: RequestedSession,
): Decided {
  const { sessionId, organizationId } = session;
  if (session.end) return SessionEnded({});
  const open = openApprovalOf(session);
  const isAsked = open && isSameCall(open, asked) && open.toolVersion === asked.toolVersion;
  if (isAsked || session.takenOverBy) return [];
  return [SessionApprovalRequested({ sessionId, organizationId, ...asked })];
}

/** A repeat does nothing. A session that has ended otherwise can't be terminated. */
function terminateEnded({ status, reason }: SessionEnd, wanted: EndReason): Decided {
  if (wanted !== 'by-person') return [];
  return status === 'terminated' && reason === wanted ? [] : SessionEnded({});
}

const outcomeOf = (
  { data }: { readonly data: { readonly reason: EndReason; readonly outcome?: Outcome | null } },
  session: RequestedSession,
) => ({ outcome: data.outcome ?? composeOutcome(session, data.reason) });

export const sessionStream: StreamPolicy<Session, SessionCommand, SessionEvent, SessionRefusal> = {
  category: 'session',
  decider: sessionDecider,
  events: sessionEvents,
  isFinal: (session) => session?.end != null,
  cachedMax: 100,
};
