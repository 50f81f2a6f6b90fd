import type { PastStep } from '@tallyhand/agent-runtime/browsing/planner';
import { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import type {
  Assignment,
  StepReport,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';

/** A session's past; a planner itself is stateless. */
export type SessionMemory = {
  readonly steps: readonly PastStep[];
  /** How many the agent has used; interrupted ones are not counted. */
  agentSteps(): number;
  /** The number of the agent's next step; the same until it is taken, whatever members do. */
  nextNumber(): number;
  /** The page that was open last. */
  url(): string | null;
  title(): string | null;
  add(step: StepReport, isByPerson: boolean): void;
  /** Counts model calls until a step of the agent is reported with them. */
  readonly meter: UsageMeter;
};

export function sessionMemory(assigned: Assignment['steps']): SessionMemory {
  const steps: PastStep[] = assigned.map(({ takenBy, ...step }) => ({
    ...step,
    isByPerson: takenBy !== null,
  }));
  let begun: number | null = null;
  let title: string | null = null;
  let url = steps.findLast((step) => step.url !== null)?.url ?? null;
  return {
    steps,
    agentSteps: () => steps.filter((step) => !step.isByPerson && !step.interrupted).length,
    nextNumber() {
      begun ??= steps.length + 1;
      return begun;
    },
    meter: new UsageMeter(),
    url: () => url,
    title: () => title,
    add(step, isByPerson) {
      if (!isByPerson) begun = null;
      url = step.url ?? url;
      title = step.title ?? title;
      const { action, input, output, success, interrupted, finding } = step;
      const kept = { action, input, output, success, interrupted, finding, url: step.url };
      steps.push({ ...kept, isByPerson, stepNumber: steps.length + 1 });
    },
  };
}
