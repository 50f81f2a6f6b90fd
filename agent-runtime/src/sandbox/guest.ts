import type { QuickJSHandle } from 'quickjs-emscripten';
import { guestLog } from './guest-log.ts';
import { type Machine, makeMachine } from './guest-machine.ts';
import type { GuestMessage, GuestOutcome } from './guest-messages.ts';
import {
  brokenOutcome,
  type Furnished,
  scriptName,
  stuckOutcome,
  thrownOutcome,
  timeOutcome,
  valueOutcome,
} from './guest-outcome.ts';
import { guestRequests } from './guest-requests.ts';
import { makeWorld } from './guest-world.ts';
import type { ThreadTask, ToThread } from './thread-messages.ts';

/** Jobs between two looks at the clock. */
const jobsAtOnce = 100;
const sleepsAtOnce = 100;
/** A timer that is set for longer fires at once. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Runs one script in a QuickJS of its own and posts what it does; one `ended` is the last of it.
 * Gives the function that takes the answers to the script's requests. Nothing is freed at the end,
 * because the thread is thrown away.
 */
export async function startGuest(
  task: ThreadTask,
  post: (message: GuestMessage) => void,
): Promise<(message: ToThread) => void> {
  const machine = await makeMachine(task.limits);
  const requests = guestRequests(machine.context, task.limits, post);
  const sleeps = guestSleeps(machine, wake);
  const { clock } = machine;
  /** What has come while the script waited, and happens when it has a place again. */
  const changes: (() => void)[] = [];
  let isOver = false;
  let readyAt: number | null = null;
  let deadline: NodeJS.Timeout | undefined;
  let look: () => GuestOutcome | undefined = () => undefined;

  /** Lets the script go on, if it can, and ends the run when the script did. */
  function goOn(change: () => void): void {
    try {
      change();
      const outcome = look();
      isOver = outcome !== undefined;
      post(outcome === undefined ? { kind: 'waiting' } : { kind: 'ended', outcome });
    } catch {
      isOver = true;
      post({ kind: 'ended', outcome: brokenOutcome(machine) });
    }
  }

  function wake(change: () => void): void {
    if (isOver) return;
    changes.push(change);
    if (readyAt !== null) return;
    readyAt = performance.now();
    post({ kind: 'ready' });
  }

  /** The script has its place: what came meanwhile happens now. */
  function go(): void {
    if (isOver || readyAt === null) return;
    clock.endsAt += performance.now() - readyAt;
    readyAt = null;
    endAtDeadline();
    goOn(() => {
      for (const change of changes.splice(0)) change();
    });
  }

  /** A script that still waits at its end needs no place to be told so. */
  function endAtDeadline(): void {
    clearTimeout(deadline);
    deadline = setTimeout(() => {
      if (isOver || readyAt !== null) return;
      if (performance.now() < clock.endsAt) endAtDeadline();
      else goOn(() => undefined);
    }, clock.endsAt - performance.now());
  }

  goOn(() => {
    const world = makeWorld(machine.context, task, {
      ask: requests.ask,
      sleep: sleeps.sleep,
      log: guestLog(task.limits, (line) => post({ kind: 'log', line })),
    });
    const furnished = { ...machine, world };
    post({ kind: 'started' });
    clock.endsAt = performance.now() + task.limits.timeMs;
    endAtDeadline();
    const started = start(furnished, task.script);
    look = () =>
      'outcome' in started
        ? started.outcome
        : progress(furnished, started.result, () => requests.openCount() + sleeps.count() > 0);
  });
  return (message) => {
    if (message.kind === 'go') go();
    else wake(() => requests.settle(message));
  };
}

/** The promise of the script's value, or the outcome where there is none. */
function start(
  machine: Furnished,
  script: string,
): { result: QuickJSHandle } | { outcome: GuestOutcome } {
  const { context } = machine;
  // Nothing stands in a line of its own before the script, so that its lines keep their numbers.
  const body = context.evalCode(`(async () => { 'use strict'; ${script}\n})`, scriptName);
  if (body.error) return { outcome: thrownOutcome(machine, body.error, 'syntax') };
  const called = context.callFunction(body.value, context.undefined);
  if (called.error) return { outcome: thrownOutcome(machine, called.error, 'thrown') };
  return { result: called.value };
}

/** Runs what can run now. The outcome, or undefined while the script has to wait. */
function progress(
  machine: Furnished,
  result: QuickJSHandle,
  canBeWoken: () => boolean,
): GuestOutcome | undefined {
  runJobs(machine);
  const state = machine.context.getPromiseState(result);
  if (state.type === 'rejected') return thrownOutcome(machine, state.error, 'thrown');
  const { isLate, endsAt } = machine.clock;
  if (isLate || performance.now() >= endsAt) return timeOutcome(machine);
  if (state.type === 'fulfilled') return valueOutcome(machine, state.value);
  return canBeWoken() ? undefined : stuckOutcome();
}

function runJobs({ runtime, clock }: Machine): void {
  while (runtime.hasPendingJob() && performance.now() < clock.endsAt) {
    // The holder of the promise handles errors; here they can be ignored.
    runtime.executePendingJobs(jobsAtOnce).dispose();
  }
}

function guestSleeps({ context }: Machine, wake: (change: () => void) => void) {
  let sleeping = 0;
  return {
    count: () => sleeping,
    /** The promise that is fulfilled after `ms`, if the script's time is not over before. */
    sleep(ms: number): QuickJSHandle {
      if (sleeping >= sleepsAtOnce) throw new RangeError(`At most ${sleepsAtOnce} sleeps at once.`);
      const promise = context.newPromise();
      sleeping += 1;
      const settle = () => {
        sleeping -= 1;
        promise.resolve();
      };
      setTimeout(() => wake(settle), Math.min(Math.max(ms || 0, 0), timerMsMax));
      return promise.handle;
    },
  };
}
