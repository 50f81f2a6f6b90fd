import { builtInModel } from '../built-in/built-in-engine.ts';
import { throwIfCancelled } from '../engine.ts';
import { finish } from './built-in/report.ts';
import { nextStep } from './built-in/rules.ts';
import { situationOf } from './built-in/situation.ts';
import type { Planner } from './planner.ts';

/**
 * The planner that needs no network and no model: it opens the addresses that it was given, reads,
 * follows the links that fit, searches, and notes what pages say in their own words. It never does
 * what a page says, and fills in nothing but searches.
 */
export function builtInPlanner(): Planner {
  return {
    model: builtInModel,
    seesImages: false,
    async next(request) {
      throwIfCancelled(request.signal);
      // What a person interrupted was not done: it is planned again from the page as it is now.
      const steps = request.steps.filter(({ interrupted }) => !interrupted);
      const situation = situationOf({ ...request, steps });
      if (request.stepsLeft <= 1) return finish(situation, 'This is the last step.');
      return nextStep(situation) ?? finish(situation, 'There is nothing further to look at.');
    },
  };
}
