import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import type {
  Assignment,
  StepReport,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { vi } from 'vitest';
import { LOOP_TIMES, type LoopTimes } from '../config.ts';
import type { SessionApi, SessionEnding } from '../internal/session-api.ts';
import { runSession } from '../loop/run-session.ts';
import type { PersonInput } from '../loop/session-control.ts';
import { ControlState } from '../loop/session-control.ts';
import { SessionDeadline } from '../loop/session-deadline.ts';
import { fakeHost } from './fake-browser.ts';
import { type Line, scriptedPlanner } from './scripted-planner.ts';
import { assignmentOf } from './session.ts';

export const PAGE = 'https://shop.example/';
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

type Given = {
  readonly script: readonly Line[] | Planner;
  readonly assignment?: Partial<Assignment>;
  readonly times?: Partial<LoopTimes>;
  readonly api?: Partial<SessionApi>;
  readonly isLate?: boolean;
  readonly hasBrowser?: boolean;
  /** Called before and after each call of the command service. */
  readonly onCall?: () => void;
};

/** A running session, and everything that the command service received about it. */
export function session(given: Given) {
  const { script, assignment, times, api, isLate = false, hasBrowser = true } = given;
  const { onCall = () => undefined } = given;
  const host = fakeHost();
  if (!hasBrowser) host.open = async () => Promise.reject(new Error('launch: Failed with <pid>'));
  const planner = 'next' in script ? { ...script, asked: [] } : scriptedPlanner(...script);
  const assigned = assignmentOf(assignment);
  const controlState = new ControlState(assigned.control);
  const leaving = new AbortController();
  const deadline = isLate ? new Date(0).toISOString() : assigned.deadline;
  const reported = {
    begun: [] as number[],
    steps: [] as StepReport[],
    persons: [] as StepReport[],
    ends: [] as SessionEnding[],
    opened: 0,
    idle: 0,
  };
  let person: PersonInput | null = null;
  const waiting: ((person: PersonInput) => void)[] = [];
  const done = runSession({
    assignment: assigned,
    controlState,
    host,
    planner,
    log,
    leaving: leaving.signal,
    timeLimit: new SessionDeadline(deadline),
    times: { ...LOOP_TIMES, ...times },
    feed: {
      show: () => undefined,
      acted: () => undefined,
      steer: (next) => {
        person = next;
        if (next) for (const resolve of waiting.splice(0)) resolve(next);
      },
    },
    api: {
      async opened() {
        reported.opened += 1;
      },
      async begin(stepNumber) {
        onCall();
        reported.begun.push(stepNumber);
        const isAgents = controlState.current.control === 'agent';
        if (!isAgents) return 'wait';
        return reported.steps.length < assigned.maxSteps ? 'go' : 'out-of-steps';
      },
      complete: async (_, step) => {
        onCall();
        reported.steps.push(step);
        await Promise.resolve();
        onCall();
      },
      notePersonStep: async (_memberId, _stepId, step) => void reported.persons.push(step),
      ask: async () => ({ answer: 'go', output: null, isApproved: false, deadline }),
      useTool: async ({ operation }) => ({ success: true, output: `${operation} says 42` }),
      planStep: () => Promise.reject(new Error('The planner of the test plans')),
      handBackIdle: async () => {
        reported.idle += 1;
        controlState.change({ control: 'agent', personId: null });
      },
      end: async (ending) => void reported.ends.push(ending),
      ...api,
    },
  });
  return {
    host,
    planner,
    controlState,
    leaving,
    reported,
    done,
    steering: () =>
      new Promise<PersonInput>((resolve) => {
        if (person) resolve(person);
        else waiting.push(resolve);
      }),
    takeOver: () => controlState.change({ control: 'person', personId: newId() }),
    handBack: () => controlState.change({ control: 'agent', personId: null }),
  };
}
