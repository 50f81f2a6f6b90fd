import type { EndReason, Outcome } from '@tallyhand/contracts/features/sessions/sessions.fields';

type Finding = { readonly text: string; readonly url: string | null };

/** What of a session says how far it came. */
export type Progress = {
  readonly steps: readonly {
    readonly takenBy: string | null;
    readonly url: string | null;
    readonly finding: Finding | null;
  }[];
  readonly maxSteps: number;
};

/** As a person reads it: with the page that it stands on. */
const findingText = ({ text, url }: Finding) => (url ? `${text} (${url})` : text);

/** What came of a session whose runner did not say: what was found, and how far it was. */
export function composeOutcome({ steps, maxSteps }: Progress, reason: EndReason): Outcome {
  const taken = steps.filter(({ takenBy }) => takenBy === null).length;
  const findings = steps.flatMap(({ finding }) => (finding ? [findingText(finding)] : []));
  const lastUrl = steps.findLast(({ url }) => url !== null)?.url;
  const found =
    findings.length === 0
      ? 'Nothing was noted.'
      : `${counted(findings.length, 'finding was', 'findings were')} noted.`;
  const where = lastUrl ? ` The last page was ${lastUrl}.` : '';
  const progress =
    taken === 0
      ? 'No step was taken.'
      : `${counted(taken, 'step', 'steps')} of at most ${maxSteps} ${taken === 1 ? 'was' : 'were'} taken. ${found}`;
  return {
    summary: `${ENDED[reason]} ${progress}${where}`,
    keyFindings: findings,
    nextSteps: [NEXT[reason]],
  };
}

const counted = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

const ENDED: Readonly<Record<EndReason, string>> = {
  'goal-reached': 'The goal was reached.',
  'out-of-steps': 'All steps were used up before the goal was reached.',
  'out-of-credits': 'The credits were used up before the goal was reached.',
  error: 'Something went wrong before the goal was reached.',
  'runner-lost': 'The browser was lost before the goal was reached.',
  'by-person': 'The session was terminated before the goal was reached.',
  'agent-paused': 'The agent was paused before the goal was reached.',
  'agent-deleted': 'The agent was deleted before the goal was reached.',
  'member-removed':
    'Whoever started the session left the organization before the goal was reached.',
};

const NEXT: Readonly<Record<EndReason, string>> = {
  'goal-reached': 'Check what was found on the pages that it stands on.',
  'out-of-steps': 'Start it again with more steps, or with a narrower goal.',
  'out-of-credits': 'Buy credits, or raise the spend limit, and start it again.',
  error: 'Start it again; if it fails again, make the goal simpler.',
  'runner-lost': 'Start it again.',
  'by-person': 'Start it again if the goal still matters.',
  'agent-paused': 'Activate the agent and start it again.',
  'agent-deleted': 'Restore the agent, or start it with another one.',
  'member-removed': 'Let another member start it again.',
};
