import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { threadEnvironment } from '../thread-environment.ts';
import type { Place, Turns } from '../turns.ts';
import {
  defaultScriptLimits,
  type ScriptErrorKind,
  type ScriptLimits,
  type ScriptResult,
  type ScriptRun,
} from './script-run.ts';
import { filledRequest, placeholdersFor } from './script-secrets.ts';
import type { FromThread, ThreadOutcome, ThreadTask, ToThread } from './thread-messages.ts';

export type ScriptPool = {
  /**
   * Runs a script when it is its organization's turn, unless the queue is full. Failures of the
   * script are in the result. Rejects with a TypeError when the input is not JSON.
   */
  runScript(run: ScriptRun): Promise<ScriptResult | Refusal>;
  /** Aborts running and waiting scripts. Resolves when no thread remains. */
  dispose(): Promise<void>;
};

/**
 * Runs the scripts of tools, each in a separate QuickJS and thread. A script that only waits, for
 * a request or in `sleep`, leaves its place in the queue to others.
 */
export function scriptPool(turns: Turns): ScriptPool {
  const closing = new AbortController();
  const open = new Set<Promise<unknown>>();

  async function execute({ organizationId, script, input, secrets, ...run }: ScriptRun) {
    const limits = { ...defaultScriptLimits, ...run.limits };
    const placeholders = placeholdersFor(secrets);
    const task = { script, input: JSON.stringify(input) ?? 'null', secrets, placeholders, limits };
    const fetch: ScriptRun['fetch'] = async (request, stop) => {
      const vault = { secrets, placeholders };
      return run.fetch(filledRequest(request, vault, run.allowedHosts), stop);
    };
    const signal = AbortSignal.any([run.signal, closing.signal]);
    const result = withoutThread(task, signal);
    if (result) return result;
    try {
      const work = (place: Place) => runOnThread(task, fetch, place, signal);
      return await turns.tryRun(organizationId, work, { signal });
    } catch (error) {
      if (signal.aborted) return abortedRun();
      throw error;
    }
  }

  return {
    async runScript(run) {
      const result = execute(run);
      open.add(result);
      try {
        return await result;
      } finally {
        open.delete(result);
      }
    },

    async dispose() {
      closing.abort();
      await Promise.allSettled(open);
    },
  };
}

/** The platform's global, which Node's types omit. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

let compiled: object | undefined;

/** QuickJS, compiled once in a process: that takes longer than most scripts. */
async function quickJs(): Promise<object> {
  const file = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
  compiled ??= await WebAssembly.compile(await readFile(file));
  return compiled;
}

type Script = Omit<ThreadTask, 'engine'>;

/** Beyond the script's time, for code that the interrupt handler can't stop. */
const graceMs = 500;
const startMsMax = 30_000;
/** For the thread around QuickJS, whose memory is separate. */
const resourceLimits = {
  maxOldGenerationSizeMb: 64,
  maxYoungGenerationSizeMb: 8,
  // More than QuickJS may use, so that its own limit applies first, as an ordinary error.
  stackSizeMb: 16,
};

/**
 * Runs a script in a new thread, which is gone when the promise is settled.
 *
 * Every run has a separate thread: starting one costs about 90 ms, little beside
 * a tool's requests, and nothing of one organization's run (memory, secrets, a broken engine) can
 * be there in the next one.
 */
export async function runOnThread(
  task: Script,
  fetch: ScriptRun['fetch'],
  place: Place,
  signal: AbortSignal,
): Promise<ScriptResult> {
  const { limits } = task;
  const workerData: ThreadTask = { ...task, engine: await quickJs() };
  const worker = new Worker(new URL('./script.worker.ts', import.meta.url), {
    workerData,
    env: threadEnvironment(),
    argv: [],
    execArgv: [],
    stdin: false,
    resourceLimits,
  });
  const logs: string[] = [];
  const requests = new AbortController();
  const gone = Promise.withResolvers<void>();
  let startedAt = performance.now();
  let outcome: ThreadOutcome | undefined;

  // The first reason to end counts; later ones are its consequences.
  function end(reason: ThreadOutcome): void {
    outcome ??= reason;
    void worker.terminate();
  }
  let timer = setTimeout(() => end(failed('crashed', 'The sandbox did not start.')), startMsMax);
  const onStarted = (sinceMs = 0) => {
    startedAt = performance.now() - sinceMs;
    clearTimeout(timer);
    timer = setTimeout(() => end(timedOut(limits)), limits.timeMs + graceMs - sinceMs);
  };
  /** Waiting for a place counts neither for the limit nor for the measured time. */
  const onReady = async () => {
    clearTimeout(timer);
    const ranMs = performance.now() - startedAt;
    await place.resume();
    onStarted(ranMs);
    worker.postMessage({ kind: 'go' } satisfies ToThread);
  };
  const onMessage = (message: FromThread) => {
    if (message.kind === 'started') onStarted();
    else if (message.kind === 'waiting') place.suspend();
    // It rejects only when the run has ended, or is about to.
    else if (message.kind === 'ready') onReady().catch(() => undefined);
    else if (message.kind === 'log') logs.push(message.line);
    else if (message.kind === 'ended') end(message.outcome);
    else {
      void answerTo(message, fetch, limits, requests.signal).then((answer) =>
        worker.postMessage(answer),
      );
    }
  };
  const onAbort = () => end(aborted);
  worker.on('message', onMessage);
  worker.on('error', (error) => end(brokenBy(error)));
  worker.once('exit', gone.resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  await gone.promise;
  const ms = Math.round(performance.now() - startedAt);
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  requests.abort();
  return resultOf(outcome ?? failed('crashed', 'The sandbox ended early.'), logs, ms);
}

export const abortedRun = () => resultOf(aborted, [], 0);

/** The result of a task that can't start: the engine has no room for its script or input. */
export function withoutThread({ script, input, limits }: Script, signal: AbortSignal) {
  if (signal.aborted) return abortedRun();
  const bytes = Buffer.byteLength(script) + Buffer.byteLength(input);
  if (bytes <= limits.memoryBytes / 8) return undefined;
  const message = 'The script and its input are too large for its memory.';
  return resultOf(failed('memory', message), [], 0);
}

const aborted: ThreadOutcome = failed('aborted', 'The run was cancelled.');

async function answerTo(
  { id, request }: Extract<FromThread, { kind: 'fetch' }>,
  fetch: ScriptRun['fetch'],
  { responseBytes }: ScriptLimits,
  signal: AbortSignal,
): Promise<ToThread> {
  try {
    const { status, headers, body } = await fetch(request, signal);
    if (Buffer.byteLength(body) > responseBytes) {
      return { kind: 'failed', id, message: `The answer has more than ${responseBytes} bytes.` };
    }
    return { kind: 'answered', id, response: JSON.stringify({ status, headers, body }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The request failed.';
    return { kind: 'failed', id, message };
  }
}

function timedOut({ timeMs }: ScriptLimits): ThreadOutcome {
  return failed('timeout', `The script took longer than ${timeMs / 1_000} seconds.`);
}

function brokenBy(error: Error): ThreadOutcome {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? failed('memory', 'The script needs more memory than its thread has.')
    : failed('crashed', 'The sandbox of the script broke down.');
}

function failed(kind: ScriptErrorKind, message: string): ThreadOutcome {
  return { ok: false, error: { kind, message } };
}

function resultOf(outcome: ThreadOutcome, logs: string[], ms: number): ScriptResult {
  if (outcome.ok) return { ok: true, value: JSON.parse(outcome.json), logs, ms };
  return { ok: false, error: outcome.error, logs, ms };
}
