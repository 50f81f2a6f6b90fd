import type { Planner, PlanRequest } from '@tallyhand/agent-runtime/browsing/planner';
import { EngineFailure, throwIfCancelled } from '@tallyhand/agent-runtime/engine';
import type { BrowsingAction, FinishResult } from '@tallyhand/contracts/features/sessions/browsing';

/** What a planner is to do: an action, a failure with a sentence, or nothing until it is aborted. */
export type Line = BrowsingAction | { readonly fails: string } | 'hangs';

export type ScriptedPlanner = Planner & { readonly asked: PlanRequest[] };

/** Decides what the script says, line by line; after its end it hangs. */
export function scriptedPlanner(...script: readonly Line[]): ScriptedPlanner {
  const asked: PlanRequest[] = [];
  return {
    model: 'scripted',
    seesImages: false,
    asked,
    async next(request) {
      const line = script[asked.length] ?? 'hangs';
      // The steps grow later on.
      asked.push({ ...request, steps: [...request.steps] });
      if (line === 'hangs') {
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        throwIfCancelled(request.signal);
      }
      if (typeof line === 'object' && 'fails' in line) {
        throw new EngineFailure({ code: 'model-output-invalid', params: {}, text: line.fails });
      }
      return { action: line as BrowsingAction, reasoning: 'As the script says.' };
    },
  };
}

export const open = (url: string): BrowsingAction => ({ type: 'open', url });
export const click = (ref: string): BrowsingAction => ({ type: 'click', ref });
export const note = (finding: string): BrowsingAction => ({ type: 'note', finding });
export const finish = (result: FinishResult = 'reached'): BrowsingAction => ({
  type: 'finish',
  result,
  summary: 'All was looked at.',
  keyFindings: ['One'],
  nextSteps: ['Two'],
});
