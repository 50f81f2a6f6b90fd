import {
  SessionCompleted,
  SessionFailed,
  SessionHandedBack,
  SessionRequested,
  SessionStarted,
  SessionTakenOver,
  SessionTerminated,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { PERSON_STEPS_MAX, sessionDecider, sessionStream } from './session.decider.ts';

const own = { sessionId: derivedId('session'), organizationId: derivedId('organization') };
const [ada, bob] = [derivedId('ada'), derivedId('bob')];
const request = {
  ...own,
  agentId: derivedId('agent'),
  goal: 'Find the cheapest plan',
  context: null,
  maxSteps: 3,
  price: 1,
  requestedBy: ada,
  deadline: '2026-11-21T09:00:00.000Z',
};
const browser = {
  browserSessionId: derivedId('browser'),
  model: 'built-in engine',
  agentVersion: 1,
  tools: [],
};
const page = {
  action: 'open',
  toolUsed: 'browser',
  input: 'https://plans.example/',
  output: 'Opened.',
  reasoning: null,
  success: true,
  interrupted: false,
  executionTimeMs: 5,
  url: 'https://plans.example/',
  title: 'Plans',
  screenshots: [],
  finding: null,
};
const outcome = { summary: 'Plan S is the cheapest.', keyFindings: ['4 EUR'], nextSteps: [] };
const finding = { text: 'Plan S costs 4 EUR', url: 'https://plans.example/s' };

const requestSession = { type: 'RequestSession' as const, data: request };
const start = { type: 'StartSession' as const, data: browser };
const step = (stepNumber: number, change: Partial<typeof page> = {}) => ({
  type: 'TakeStep' as const,
  data: { ...page, ...change, stepId: derivedId('step', String(stepNumber)), stepNumber },
});
const act = (name: string, takenBy = bob) => ({
  type: 'NotePersonStep' as const,
  data: { ...page, action: 'click', stepId: derivedId(name), takenBy },
});
const takeOver = (by: string) => ({ type: 'TakeOver' as const, data: { by } });
const handBack = (by: string | null) => ({ type: 'HandBack' as const, data: { by } });
const complete = {
  type: 'CompleteSession' as const,
  data: { reason: 'goal-reached' as const, outcome },
};
const lost = { code: 'browser-lost', params: {}, error: 'Lost.' };
const fail = { type: 'FailSession' as const, data: { reason: 'error' as const, ...lost } };
const terminate = {
  type: 'TerminateSession' as const,
  data: { reason: 'by-person' as const, terminatedBy: ada },
};
const pause = {
  type: 'TerminateSession' as const,
  data: { reason: 'agent-paused' as const, terminatedBy: null },
};

const requested = SessionRequested(request);
const started = SessionStarted({ ...own, ...browser });
const taken = (stepNumber: number, change: object = {}) =>
  StepTaken({
    ...own,
    ...page,
    stepId: derivedId('step', String(stepNumber)),
    stepNumber,
    takenBy: null,
    creditsUsed: 1,
    ...change,
  });
const acted = (name: string, stepNumber: number, takenBy = bob) =>
  StepTaken({
    ...own,
    ...page,
    action: 'click',
    stepId: derivedId(name),
    stepNumber,
    takenBy,
    creditsUsed: 0,
  });
const takenOver = (takenOverBy: string) => SessionTakenOver({ ...own, takenOverBy });
const handedBack = (handedBackBy: string | null) => SessionHandedBack({ ...own, handedBackBy });
const completed = SessionCompleted({ ...own, reason: 'goal-reached', outcome });
const terminated = SessionTerminated({ ...own, reason: 'by-person', terminatedBy: ada, outcome });
const ends = [completed, SessionFailed({ ...own, reason: 'error', ...lost, outcome }), terminated];

const given = rulesOf(sessionStream);

describe('RequestSession', () => {
  it('begins the session', () => {
    given().when(requestSession).thenAppended(requested);
  });
  it('does nothing the second time it arrives, before the end and after it', () => {
    given(requested).when(requestSession).thenNothing();
    given(requested, terminated).when(requestSession).thenNothing();
  });
});

describe('StartSession', () => {
  it('notes the browser, and another one when another runner took the session up', () => {
    given(requested).when(start).thenAppended(started);
    const other = { ...browser, browserSessionId: derivedId('other browser') };
    const again = { ...start, data: other };
    given(requested, started)
      .when(again)
      .thenAppended(SessionStarted({ ...own, ...other }));
  });
  it('does nothing the second time it arrives', () => {
    given(requested, started).when(start).thenNothing();
  });
  it('is refused of a session that is not there, or has ended', () => {
    given().when(start).thenRefused('not-found', { what: 'session' });
    given(requested, terminated).when(start).thenRefused('session-ended');
  });
});

describe('TakeStep', () => {
  it('costs its price when it succeeded, and nothing when it did not', () => {
    given(requested, started).when(step(1)).thenAppended(taken(1));
    given(requested, started, taken(1))
      .when(step(2, { success: false }))
      .thenAppended(taken(2, { success: false, creditsUsed: 0 }));
  });
  it('is free when interrupted by a member, and not counted in the maximum', () => {
    const cut = { success: false, interrupted: true, creditsUsed: 0 };
    given(requested, started, takenOver(bob))
      .when(step(1, { success: false, interrupted: true }))
      .thenAppended(taken(1, cut));
    given(requested, started, taken(1, cut), taken(2), taken(3, cut), taken(4))
      .when(step(5))
      .thenAppended(taken(5));
  });
  it('does nothing the second time it arrives, before the end and after it', () => {
    given(requested, started, taken(1)).when(step(1)).thenNothing();
    given(requested, started, taken(1), completed).when(step(1)).thenNothing();
  });
  it("follows the member's steps", () => {
    const stepId = derivedId('step', '1');
    given(requested, started, takenOver(bob), acted('click', 1))
      .when(step(1))
      .thenAppended(taken(2, { stepId }));
  });
  it('is refused of a runner that another has got ahead of, or that skips one', () => {
    const other = taken(1, { stepId: derivedId('of another') });
    given(requested, started, other).when(step(1)).thenRefused('not-your-claim');
    given(requested, started).when(step(2)).thenRefused('not-your-claim');
  });
  it('is refused beyond the last step that the agent may take', () => {
    given(requested, started, taken(1), taken(2), acted('click', 3), taken(4))
      .when(step(5))
      .thenRefused('not-your-claim');
  });
  it('is refused after the end', () => {
    for (const end of ends)
      given(requested, started, end).when(step(1)).thenRefused('session-ended');
  });
});

describe('NotePersonStep', () => {
  it('is free, and has the next number', () => {
    given(requested, started, taken(1), takenOver(bob))
      .when(act('click'))
      .thenAppended(acted('click', 2));
  });
  it('counts the step that was in progress when they handed back', () => {
    given(requested, started, takenOver(bob), handedBack(bob))
      .when(act('click'))
      .thenAppended(acted('click', 1));
  });
  it('does nothing the second time it arrives', () => {
    given(requested, started, takenOver(bob), acted('click', 1)).when(act('click')).thenNothing();
  });
  it('is refused to a member who did not take over, and after the end', () => {
    given(requested, started).when(act('click')).thenRefused('session-not-taken-over');
    given(requested, started, takenOver(ada))
      .when(act('click'))
      .thenRefused('session-not-taken-over');
    given(requested, started, takenOver(bob), terminated)
      .when(act('click'))
      .thenRefused('session-ended');
  });
  it('is refused once there are as many as a session keeps', () => {
    const clicks = Array.from({ length: PERSON_STEPS_MAX }, (_, i) => acted(`click ${i}`, i + 1));
    const before = [requested, started, takenOver(bob)];
    given(...before, ...clicks.slice(1))
      .when(act('last'))
      .thenAppended(acted('last', PERSON_STEPS_MAX));
    given(...before, ...clicks)
      .when(act('one more'))
      .thenRefused('too-many-person-steps', { stepsMax: PERSON_STEPS_MAX });
  });
});

describe('TakeOver', () => {
  it('is refused when members have taken or interrupted the maximum number of steps', () => {
    const cut = { success: false, interrupted: true, creditsUsed: 0 };
    const interrupted = Array.from({ length: PERSON_STEPS_MAX }, (_, i) => taken(i + 1, cut));
    given(requested, started, ...interrupted.slice(1))
      .when(takeOver(bob))
      .thenAppended(takenOver(bob));
    given(requested, started, ...interrupted)
      .when(takeOver(bob))
      .thenRefused('too-many-person-steps', { stepsMax: PERSON_STEPS_MAX });
  });
  it('hands control to a member, also again after it was handed back', () => {
    given(requested, started).when(takeOver(bob)).thenAppended(takenOver(bob));
    given(requested, started, takenOver(bob), handedBack(bob))
      .when(takeOver(ada))
      .thenAppended(takenOver(ada));
  });
  it('does nothing for the member who has control', () => {
    given(requested, started, takenOver(bob)).when(takeOver(bob)).thenNothing();
  });
  it('is refused while there is no browser, while another steers, and after the end', () => {
    given(requested).when(takeOver(bob)).thenRefused('session-not-running');
    given(requested, started, takenOver(bob)).when(takeOver(ada)).thenRefused('session-taken-over');
    for (const end of ends) {
      given(requested, started, end).when(takeOver(bob)).thenRefused('session-ended');
    }
  });
});

describe('HandBack', () => {
  it('lets the agent continue, regardless of the caller', () => {
    const steered = [requested, started, takenOver(bob)];
    given(...steered)
      .when(handBack(bob))
      .thenAppended(handedBack(bob));
    given(...steered)
      .when(handBack(ada))
      .thenAppended(handedBack(ada));
    given(...steered)
      .when(handBack(null))
      .thenAppended(handedBack(null));
  });
  it('does nothing the second time it arrives', () => {
    const back = [requested, started, takenOver(bob), handedBack(bob)];
    given(...back)
      .when(handBack(bob))
      .thenNothing();
    given(...back)
      .when(handBack(null))
      .thenNothing();
  });
  it('is refused if the session is not taken over, and after the end', () => {
    given(requested, started).when(handBack(bob)).thenRefused('session-not-taken-over');
    given(requested, started, takenOver(bob), terminated)
      .when(handBack(bob))
      .thenRefused('session-ended');
  });
});

describe('the end', () => {
  const running = [requested, started, taken(1)];
  it("is completed with the runner's outcome", () => {
    given(...running)
      .when(complete)
      .thenAppended(completed);
  });
  it('has an outcome even without a report: the progress and the findings', () => {
    given(requested, started, taken(1), taken(2, { finding }))
      .when(fail)
      .thenAppended(
        SessionFailed({
          ...own,
          reason: 'error',
          ...lost,
          outcome: {
            summary:
              'Something went wrong before the goal was reached. 2 of 3 steps taken.' +
              ' 1 finding. Last page: https://plans.example/.',
            keyFindings: ['Plan S costs 4 EUR (https://plans.example/s)'],
            nextSteps: ['Start again. If it fails again, simplify the goal.'],
          },
        }),
      );
    given(requested)
      .when(pause)
      .thenAppended(
        SessionTerminated({
          ...own,
          reason: 'agent-paused',
          terminatedBy: null,
          outcome: {
            summary: 'The agent was paused before the goal was reached. No steps taken.',
            keyFindings: [],
            nextSteps: ['Activate the agent and start again.'],
          },
        }),
      );
  });
  it('happens once: later ends change nothing', () => {
    for (const end of ends) {
      given(...running, end)
        .when(complete)
        .thenNothing();
      given(...running, end)
        .when(fail)
        .thenNothing();
      given(...running, end)
        .when(pause)
        .thenNothing();
    }
  });
  it('can be terminated while queued; a repeat does nothing', () => {
    expect(sessionDecider.decide(terminate, given(requested).state())).toMatchObject([
      { type: 'SessionTerminated', data: { reason: 'by-person', terminatedBy: ada } },
    ]);
    given(requested, terminated).when(terminate).thenNothing();
  });
  it('is not terminated when it came to its own', () => {
    given(...running, completed)
      .when(terminate)
      .thenRefused('session-ended');
  });
});

describe('the state of a session', () => {
  it('has its steps, their cost, and the owner of its control', () => {
    const session = given(
      requested,
      started,
      taken(1),
      takenOver(bob),
      acted('click', 2),
      taken(3, { success: false, creditsUsed: 0 }),
    ).state();
    expect(session).toMatchObject({
      creditsUsed: 1,
      takenOverBy: bob,
      end: null,
      steps: [{ stepNumber: 1 }, { stepNumber: 2, takenBy: bob }, { stepNumber: 3 }],
    });
  });
  it('has no one in control after its end', () => {
    const session = given(requested, started, takenOver(bob), completed).state();
    expect(session).toMatchObject({ takenOverBy: null, end: { status: 'completed', outcome } });
  });
});
