import { SessionInput } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { STEPS_DEFAULT } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { z } from 'zod';

/** What the form of a new session gives; a blank context is none. */
export const StartForm = SessionInput.extend({
  agentId: z.uuid('Please select an agent'),
}).transform(({ context, ...rest }) => ({ ...rest, ...(context && { context }) }));

/** The form's beginning: the agent that is asked for, or the only one that there is. */
export const startedWith = (asked: string, agents: readonly { id: string }[]) => ({
  agentId: agents.find(({ id }) => id === asked || agents.length === 1)?.id ?? '',
  goal: '',
  context: '',
  maxSteps: STEPS_DEFAULT,
});
