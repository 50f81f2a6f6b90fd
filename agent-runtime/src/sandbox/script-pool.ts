import type { Turns } from '../turns.ts';
import { defaultScriptLimits, type ScriptResult, type ScriptRun } from './script-run.ts';
import { filledRequest, placeholdersFor } from './script-secrets.ts';
import { abortedRun, runOnThread, withoutThread } from './script-thread.ts';

export type ScriptPool = {
  /**
   * Runs a script when it is its organization's turn. Failures of the script are in the result.
   * Rejects when the queue is full, and with a TypeError when the input is not JSON.
   */
  runScript(run: ScriptRun): Promise<ScriptResult>;
  /** Aborts running and waiting scripts. Resolves when no thread remains. */
  dispose(): Promise<void>;
};

/**
 * Runs the scripts of tools, each in a separate QuickJS and thread. A script that only waits, for
 * a request or in `sleep`, leaves its place in the queue to others.
 */
export function scriptPool(turns: Turns): ScriptPool {
  const closing = new AbortController();
  const open = new Set<Promise<ScriptResult>>();

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
      return await turns.run(organizationId, (place) => runOnThread(task, fetch, place, signal), {
        signal,
      });
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
