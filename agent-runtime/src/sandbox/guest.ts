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
  let isOver = false;
  let look: () => GuestOutcome | undefined = () => undefined;

  /** Lets the script go on, if it can, and ends the run when the script did. */
  function wake(change: () => void = () => undefined): void {
    if (isOver) return;
    try {
      change();
      const outcome = look();
      if (outcome === undefined) return;
      isOver = true;
      post({ kind: 'ended', outcome });
    } catch {
      isOver = true;
      post({ kind: 'ended', outcome: brokenOutcome(machine) });
    }
  }

  wake(() => {
    const world = makeWorld(machine.context, task, {
      ask: requests.ask,
      sleep: sleeps.sleep,
      log: guestLog(task.limits, (line) => post({ kind: 'log', line })),
    });
    const furnished = { ...machine, world };
    post({ kind: 'started' });
    machine.clock.endsAt = performance.now() + task.limits.timeMs;
    const started = start(furnished, task.script);
    look = () =>
      'outcome' in started
        ? started.outcome
        : progress(furnished, started.result, () => requests.openCount() + sleeps.count() > 0);
  });
  setTimeout(wake, task.limits.timeMs);
  return (message) => wake(() => requests.settle(message));
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
    // Errors are seen by whoever holds the promise; here they matter to nobody.
    runtime.executePendingJobs(jobsAtOnce).dispose();
  }
}

function guestSleeps({ context, limits }: Machine, wake: (change: () => void) => void) {
  let sleeping = 0;
  return {
    count: () => sleeping,
    /** The promise that is fulfilled after `ms`, and after the script's time at the latest. */
    sleep(ms: number): QuickJSHandle {
      if (sleeping >= sleepsAtOnce) throw new RangeError(`At most ${sleepsAtOnce} sleeps at once.`);
      const promise = context.newPromise();
      sleeping += 1;
      const settle = () => {
        sleeping -= 1;
        promise.resolve();
      };
      setTimeout(() => wake(settle), Math.min(Math.max(ms || 0, 0), limits.timeMs));
      return promise.handle;
    },
  };
}
