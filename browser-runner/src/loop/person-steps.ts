import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { StepAction } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { MASK } from '../browser/secrets.ts';
import type { LoopTimes } from '../config.ts';
import { CallRefused } from '../internal/command-client.ts';
import type { SessionApi } from '../internal/session-api.ts';
import type { ActionResult, SessionBrowser } from '../session-browser.ts';
import type { PersonInput, SessionFeed } from './session-control.ts';
import type { SessionMemory } from './session-memory.ts';
import { stepReport } from './step-report.ts';
import { BROWSER_TOOL } from './take-step.ts';

/** Inputs that may wait for the browser. */
const WAITING_MAX = 100;
/** Characters of typing that become one step. */
const TEXT_MAX = 4_000;

export type PersonWork = {
  readonly memberId: string;
  readonly browser: SessionBrowser;
  readonly memory: SessionMemory;
  readonly api: Pick<SessionApi, 'notePersonStep' | 'handBackIdle'>;
  readonly feed: Pick<SessionFeed, 'acted'>;
  readonly times: LoopTimes;
  readonly log: Log;
  readonly stopped: AbortSignal;
};

export type PersonSteps = PersonInput &
  AsyncDisposable & {
    /** Resolves when nothing was done for too long. */
    readonly idle: Promise<void>;
    /** Resolves when all that was done is a step. */
    flush(): Promise<void>;
  };

/** Ongoing input: typing, or scrolling. */
type Stretch = {
  readonly kind: 'text' | 'scroll';
  readonly text: string;
  readonly deltaY: number;
  readonly last: ActionResult;
  readonly isSecret: boolean;
  readonly startedAt: number;
};

/** Carries out a member's input in the browser, one after the other, and records it as steps. */
export function personSteps(work: PersonWork): PersonSteps {
  const { memberId, browser, memory, api, feed, times, stopped } = work;
  const idle = Promise.withResolvers<void>();
  const queue = serialQueue((error) => refused(error, work));
  let stretch: Stretch | null = null;
  let quietTimer: NodeJS.Timeout | undefined;
  let idleTimer = setTimeout(idle.resolve, times.idleMs);

  async function note(action: StepAction, input: string, result: ActionResult, startedAt: number) {
    const executionTimeMs = performance.now() - startedAt;
    const { success, output } = result;
    const facts = { action, input, output, success, executionTimeMs };
    const frame = await browser.screenshot();
    const place = { url: memory.url(), title: memory.title(), frame };
    const report = stepReport(
      { ...facts, interrupted: false, reasoning: null, toolUsed: BROWSER_TOOL, finding: null },
      place,
    );
    await api.notePersonStep(memberId, newId(), report);
    memory.add(report, true);
    feed.acted(report);
  }

  async function endStretch() {
    clearTimeout(quietTimer);
    if (!stretch) return;
    const { kind, deltaY, last, isSecret, startedAt } = stretch;
    const text = isSecret ? MASK : stretch.text;
    stretch = null;
    const output = (whole: string) => (last.success ? whole : last.output);
    if (kind === 'text') {
      await note('type', text, { ...last, output: output(`Typed "${text}".`) }, startedAt);
    } else {
      const direction = deltaY < 0 ? 'up' : 'down';
      await note(
        'scroll',
        direction,
        { ...last, output: output(`Scrolled ${direction}.`) },
        startedAt,
      );
    }
  }

  async function carryOut(input: LiveInput) {
    const startedAt = performance.now();
    const result = await orAborted(browser.input(input, stopped), stopped);
    const next = stretched(stretch, input, result, startedAt);
    if (next) {
      if (next.startedAt === startedAt) await endStretch();
      stretch = next;
      clearTimeout(quietTimer);
      quietTimer = setTimeout(() => queue.add(endStretch), times.quietMs);
      return;
    }
    await endStretch();
    await note(actionOf(input), inputOf(input, result), result, startedAt);
  }

  return {
    memberId,
    idle: idle.promise,
    flush: () => queue.add(endStretch),
    input(input) {
      if (queue.waiting >= WAITING_MAX) return false;
      clearTimeout(idleTimer);
      idleTimer = setTimeout(idle.resolve, times.idleMs);
      void queue.add(() => carryOut(input));
      return true;
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(idleTimer);
      await queue.add(endStretch);
    },
  };
}

/** Unrecorded input must not continue: the agent takes its turn again. */
async function refused(error: unknown, { stopped, api, log }: PersonWork) {
  if (stopped.aborted) return;
  if (!(error instanceof CallRefused)) log.error('an input failed', errorFields(error));
  await api.handBackIdle().catch(() => undefined);
}

/** The stretch with this input added, a new one, or null if the input is a complete step. */
function stretched(
  stretch: Stretch | null,
  input: LiveInput,
  last: ActionResult,
  startedAt: number,
): Stretch | null {
  if (input.kind === 'key') {
    const isCorrection = input.key === 'Backspace' && stretch?.kind === 'text' && stretch.text;
    if (!isCorrection) return null;
    return { ...stretch, text: [...stretch.text].slice(0, -1).join(''), last };
  }
  if (input.kind !== 'text' && input.kind !== 'scroll') return null;
  const text = input.kind === 'text' ? input.text : '';
  const deltaY = input.kind === 'scroll' ? input.deltaY : 0;
  const { isSecret } = last;
  const continues = stretch?.kind === input.kind && stretch.isSecret === isSecret;
  if (!continues || stretch.text.length > TEXT_MAX)
    return { kind: input.kind, text, deltaY, last, isSecret, startedAt };
  return { ...stretch, last, text: stretch.text + text, deltaY: stretch.deltaY + deltaY };
}

function actionOf({ kind }: LiveInput): StepAction {
  if (kind === 'text' || kind === 'key') return 'type';
  return kind;
}

function inputOf(input: LiveInput, { name }: ActionResult): string {
  switch (input.kind) {
    case 'click':
      return name ?? `${Math.round(input.x * 100)} %, ${Math.round(input.y * 100)} %`;
    case 'key':
      return input.key;
    case 'open':
      return input.url;
    default:
      return '';
  }
}

type SerialQueue = {
  readonly waiting: number;
  /** Resolves when the job is done, or has failed. */
  add(job: () => Promise<void>): Promise<void>;
};

/** Runs jobs one after the other; a failure is reported, and the next one runs. */
function serialQueue(onFailure: (error: unknown) => Promise<void>): SerialQueue {
  let last = Promise.resolve();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    add(job) {
      waiting += 1;
      last = last
        .then(job)
        .catch(onFailure)
        .finally(() => {
          waiting -= 1;
        });
      return last;
    },
  };
}
