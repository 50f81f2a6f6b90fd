import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { histogram } from '@tallyhand/service-kit/metrics/histogram';

const durations = histogram({
  name: 'tallyhand_command_duration_seconds',
  help: 'How long commands took to be decided and stored, by type and outcome.',
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
});

/** Measures a command, which ends as it would without. */
export async function measuredCommand<Answer>(
  command: string,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const started = performance.now();
  const note = (outcome: 'accepted' | 'refused' | 'failed') =>
    durations.observe({ command, outcome }, (performance.now() - started) / 1_000);
  try {
    const answer = await send();
    note(isRefusal(answer) ? 'refused' : 'accepted');
    return answer;
  } catch (error) {
    note('failed');
    throw error;
  }
}
