import { agentWith } from '@tallyhand/agent-runtime/fixtures/handbook';
import type { LiveControl } from '@tallyhand/contracts/features/sessions/live.messages';
import type {
  Assignment,
  StepReport,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';

export const AGENT: LiveControl = { by: 'agent', personId: null };
export const by = (personId: string): LiveControl => ({ by: 'person', personId });

const HOUR_MS = 3_600_000;

/** A session that no runner has claimed yet. */
export function assignmentOf(changes: Partial<Assignment> = {}): Assignment {
  return {
    sessionId: newId(),
    organizationId: newId(),
    goal: 'Find the price',
    context: null,
    maxSteps: 15,
    deadline: new Date(Date.now() + HOUR_MS).toISOString(),
    control: AGENT,
    agent: agentWith({}),
    model: null,
    tools: [],
    startUrls: [],
    steps: [],
    ...changes,
  };
}

/** A step as it was stored, of the agent unless a person took it. */
export function takenStep(
  stepNumber: number,
  changes: Partial<Assignment['steps'][number]> = {},
): Assignment['steps'][number] {
  return {
    stepNumber,
    takenBy: null,
    action: 'open',
    input: 'https://a.example/',
    output: 'Opened.',
    success: true,
    interrupted: false,
    url: 'https://a.example/',
    finding: null,
    ...changes,
  };
}

/** What of a step most rules are about. */
export const inShort = ({ action, input, success }: StepReport) =>
  `${action} ${input}${success ? '' : ' failed'}`.trim();
