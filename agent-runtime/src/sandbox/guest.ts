import type {
  QuickJSContext,
  QuickJSDeferredPromise,
  QuickJSHandle,
} from 'quickjs-emscripten-core';
import { guestLog, type Machine, makeMachine, makeWorld, type World } from './guest-machine.ts';
import type { GuestMessage, GuestOutcome } from './guest-messages.ts';
import type { Described } from './prelude.ts';
import type { ScriptErrorKind, ScriptLimits, ScriptRequest } from './script-run.ts';
import type { FromThread, ThreadTask, ToThread } from './thread-messages.ts';

/** Jobs between two checks of the clock. */
const jobsAtOnce = 100;
const sleepsAtOnce = 100;
/** A timer that is set for longer fires at once. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Runs one script in a separate QuickJS and posts its messages; `ended` is the last one.
 * Gives the function that takes the answers to the script's requests. Nothing is freed at the end,
 * because the thread is thrown away.
 */
export async function startGuest(
  task: ThreadTask,
  post: (message: GuestMessage) => void,
): Promise<(message: ToThread) => void> {
  const machine = await makeMachine(task);
  const requests = guestRequests(machine.context, task.limits, post);
  const sleeps = guestSleeps(machine, wake);
  const { clock } = machine;
  /** Messages that arrived while the script waited, for when it has a place again. */
  const changes: (() => void)[] = [];
  let isOver = false;
  let readyAt: number | null = null;
  let deadline: NodeJS.Timeout | undefined;
  let look: () => GuestOutcome | undefined = () => undefined;

  /** Continues the script if possible, and ends the run when it has ended. */
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

  /** The script has its place: handles the messages that arrived meanwhile. */
  function go(): void {
    if (isOver || readyAt === null) return;
    clock.endsAt += performance.now() - readyAt;
    readyAt = null;
    endAtDeadline();
    goOn(() => {
      for (const change of changes.splice(0)) change();
    });
  }

  /** A script that still waits at its end needs no place. */
  function endAtDeadline(): void {
    clearTimeout(deadline);
    deadline = setTimeout(
      () => {
        if (isOver || readyAt !== null) return;
        if (performance.now() < clock.endsAt) endAtDeadline();
        else goOn(() => undefined);
      },
      Math.max(0, clock.endsAt - performance.now()),
    );
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
  // No line precedes the script, so that its lines keep their numbers.
  const body = context.evalCode(`(async () => { 'use strict'; ${script}\n})`, scriptName);
  if (body.error) return { outcome: thrownOutcome(machine, body.error, 'syntax') };
  const called = context.callFunction(body.value, context.undefined);
  if (called.error) return { outcome: thrownOutcome(machine, called.error, 'thrown') };
  return { result: called.value };
}

/** Runs the pending jobs. Returns the outcome, or undefined while the script has to wait. */
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

type Asked = Extract<FromThread, { kind: 'fetch' }>;
type Answer = Exclude<ToThread, { kind: 'go' }>;

/**
 * The script's requests, from call to answer. They are counted here, before they cross to the other
 * thread, so that a script can't flood it with messages.
 */
function guestRequests(
  context: QuickJSContext,
  limits: ScriptLimits,
  post: (message: Asked) => void,
) {
  const open = new Map<number, QuickJSDeferredPromise>();
  const waiting: Asked[] = [];
  let made = 0;
  let underWay = 0;

  function sendNext(): void {
    while (underWay < limits.fetchesAtOnce) {
      const next = waiting.shift();
      if (next === undefined) return;
      underWay += 1;
      post(next);
    }
  }

  return {
    openCount: () => open.size,

    /** Takes a request as JSON and gives the promise of its answer; throws what the script sees. */
    ask(json: string): QuickJSHandle {
      if (made >= limits.fetches) {
        throw new RangeError(`A script can make ${limits.fetches} requests, not more.`);
      }
      if (Buffer.byteLength(json) > limits.requestBytes) {
        throw new RangeError(`A request can have ${limits.requestBytes} bytes, not more.`);
      }
      const request = readRequest(JSON.parse(json));
      made += 1;
      const promise = context.newPromise();
      open.set(made, promise);
      waiting.push({ kind: 'fetch', id: made, request });
      sendNext();
      return promise.handle;
    },

    settle(message: Answer): void {
      const promise = open.get(message.id);
      if (promise === undefined) return;
      open.delete(message.id);
      underWay -= 1;
      sendNext();
      if (message.kind === 'answered') {
        context.newString(message.response).consume(promise.resolve);
      } else {
        context.newError(message.message).consume(promise.reject);
      }
    },
  };
}

/** A script can change how its requests become JSON, so that their shape is untrusted. */
function readRequest(value: unknown): ScriptRequest {
  const { url, method, headers, body }: Record<string, unknown> = Object(value);
  if (typeof url !== 'string' || typeof method !== 'string') {
    throw new TypeError('A request needs a URL and a method.');
  }
  if (body !== undefined && typeof body !== 'string') {
    throw new TypeError('The body of a request must be a string.');
  }
  const fields = Object.entries(Object(headers)).map(([name, field]) => [name, String(field)]);
  return { url, method, headers: Object.fromEntries(fields), body };
}

/** A machine with the prelude in it. */
type Furnished = Machine & { world: World };

/** The file name of the script in stack traces. */
const scriptName = 'script.js';

/** For describing errors, even after the script's own time is used up. */
const extraMs = 200;

/** For a thrown value that can't be described. */
const odd = 'something odd was thrown';

function valueOutcome(machine: Furnished, value: QuickJSHandle): GuestOutcome {
  const { context, world, limits } = machine;
  const written = context.callFunction(world.toJson, context.undefined, value);
  if (written.error) return thrownOutcome(machine, written.error, 'not-json');
  // Checks the length first, so that too large values never leave QuickJS.
  const isTooLong = (context.getLength(written.value) ?? 0) > limits.outputBytes;
  const json = isTooLong ? '' : context.getString(written.value);
  if (!isTooLong && Buffer.byteLength(json) <= limits.outputBytes) return { ok: true, json };
  return failed('output-too-large', `The value has more than ${limits.outputBytes} bytes.`);
}

/** The error for a thrown value; `kind` unless it is about time or memory. */
function thrownOutcome(
  machine: Furnished,
  thrown: QuickJSHandle,
  kind: 'syntax' | 'thrown' | 'not-json',
): GuestOutcome {
  const { isLate } = machine.clock;
  const { name, message, stack, isCut } = described(machine, thrown);
  const line = lineIn(stack);
  if (isLate) return timeOutcome(machine, line);
  // If not even the error fits into memory, QuickJS throws null.
  const isFull = name === '' && (message === 'null' || message === odd) && machine.wasFull();
  if (isFull || (name === 'InternalError' && message === 'out of memory')) {
    return memoryOutcome(machine, line);
  }
  const text = name === '' ? message : `${name}: ${message}`;
  if (kind === 'not-json') return failed(kind, `The value has no JSON: ${text}`, line, isCut);
  return failed(kind === 'syntax' && name !== 'SyntaxError' ? 'thrown' : kind, text, line, isCut);
}

function timeOutcome({ limits }: Machine, line?: number): GuestOutcome {
  return failed('timeout', `The script took longer than ${limits.timeMs / 1_000} seconds.`, line);
}

/** The script waits, but no request or sleep remains that could wake it. */
function stuckOutcome(): GuestOutcome {
  return failed('timeout', 'The script waits for a promise that nothing settles.');
}

/** For errors of the machine itself. */
function brokenOutcome(machine: Machine): GuestOutcome {
  if (machine.wasFull()) return memoryOutcome(machine);
  return failed('crashed', 'The sandbox of the script broke down.');
}

function memoryOutcome({ limits }: Machine, line?: number): GuestOutcome {
  const megabytes = Math.round(limits.memoryBytes / 1024 / 1024);
  return failed('memory', `The script needs more than ${megabytes} MB of memory.`, line);
}

function described(machine: Furnished, thrown: QuickJSHandle): Described {
  const { context, world, clock, reserve } = machine;
  clock.endsAt = performance.now() + extraMs;
  if (reserve.alive) reserve.dispose();
  const text = context.callFunction(world.describe, context.undefined, thrown);
  if (text.error) return { name: '', message: odd, stack: '', isCut: false };
  return JSON.parse(context.getString(text.value));
}

function lineIn(stack: string): number | undefined {
  const [, line] = /script\.js:(\d{1,7})/.exec(stack) ?? [];
  return line === undefined ? undefined : Number(line);
}

function failed(kind: ScriptErrorKind, text: string, line?: number, isCut = false): GuestOutcome {
  return { ok: false, error: { kind, message: { text, isCut }, line } };
}
