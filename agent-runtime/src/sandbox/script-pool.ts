import { defaultScriptLimits, type ScriptResult, type ScriptRun } from './script-run.ts';
import { filledRequest, placeholdersFor } from './script-secrets.ts';
import { runOnThread, withoutThread } from './script-thread.ts';

/** A script that was not run at all. */
export class ScriptRefused extends Error {
  readonly code: 'queue-full' | 'closed';

  constructor(code: ScriptRefused['code'], message: string) {
    super(message);
    this.name = 'ScriptRefused';
    this.code = code;
  }
}

export type ScriptPool = {
  /**
   * Runs a script as soon as a thread is free, in the order of the calls. Whatever the script does
   * is told by the result. Rejects with ScriptRefused when too many wait or the pool is closed, and
   * with a TypeError when the input is no JSON.
   */
  runScript(run: ScriptRun): Promise<ScriptResult>;
  /** Aborts what runs and waits. When it is fulfilled, no thread is left. */
  dispose(): Promise<void>;
};

/** Runs the scripts of tools, each in a QuickJS and a thread of its own. */
export function scriptPool({ threads = 2, queueMax = 100 } = {}): ScriptPool {
  const closing = new AbortController();
  const waiting: (() => void)[] = [];
  const open = new Set<Promise<ScriptResult>>();
  let taken = 0;

  /** Fulfilled with a thread's place taken, or without one when the signal aborts. */
  async function takePlace(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (taken < threads) {
      taken += 1;
      return true;
    }
    if (waiting.length >= queueMax) throw new ScriptRefused('queue-full', 'Too many scripts wait.');
    const turn = Promise.withResolvers<boolean>();
    const next = () => turn.resolve(true);
    const leave = () => {
      const place = waiting.indexOf(next);
      if (place < 0) return;
      waiting.splice(place, 1);
      turn.resolve(false);
    };
    waiting.push(next);
    signal.addEventListener('abort', leave, { once: true });
    const got = await turn.promise;
    signal.removeEventListener('abort', leave);
    return got;
  }

  /** Hands the place on, so that nobody who comes now can be before those who wait. */
  function leavePlace(): void {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  }

  async function execute({ script, input, secrets, signal, ...run }: ScriptRun) {
    const limits = { ...defaultScriptLimits, ...run.limits };
    const placeholders = placeholdersFor(secrets);
    const task = { script, input: JSON.stringify(input) ?? 'null', secrets, placeholders, limits };
    const fetch: ScriptRun['fetch'] = async (request, stop) => {
      const vault = { secrets, placeholders };
      return run.fetch(filledRequest(request, vault, run.allowedHosts), stop);
    };
    const either = AbortSignal.any([signal, closing.signal]);
    const hasPlace = await takePlace(either);
    try {
      return withoutThread(task, either) ?? (await runOnThread(task, fetch, either));
    } finally {
      if (hasPlace) leavePlace();
    }
  }

  return {
    async runScript(run) {
      if (closing.signal.aborted)
        throw new ScriptRefused('closed', 'Scripts are not run any more.');
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
