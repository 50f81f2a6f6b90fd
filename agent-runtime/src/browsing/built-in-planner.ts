import { builtInModel } from '../built-in/built-in-engine.ts';
import { throwIfCancelled } from '../engine.ts';
import type { PlannedStep, Planner, PlanRequest } from './planner.ts';

/** The planner that needs no network and no model. */
export function builtInPlanner(): Planner {
  return {
    model: builtInModel,
    seesImages: false,
    async next(request) {
      throwIfCancelled(request.signal);
      return planned(request);
    },
  };
}

function planned({ goal, steps, page, startUrls, stepsLeft }: PlanRequest): PlannedStep {
  const named = goal.match(/https?:\/\/[^\s<>"']+/g) ?? [];
  const opened = steps.filter((step) => step.action === 'open').map((step) => step.input);
  const next = [...named, ...startUrls].find((url) => !opened.includes(url));
  const isRead = steps.some((step) => step.action === 'extract' && step.url === page?.url);
  if (stepsLeft > 1 && page && !isRead) {
    return { action: { type: 'extract', about: goal }, reasoning: 'The page is not read yet.' };
  }
  if (stepsLeft > 1 && next) {
    return { action: { type: 'open', url: next }, reasoning: 'The goal names this address.' };
  }
  const summary = `${opened.length} addresses were opened.`;
  return {
    action: {
      ...{ type: 'finish', isReached: opened.length > 0, summary },
      ...{ keyFindings: [], nextSteps: [] },
    },
    reasoning: 'There is no further address.',
  };
}
