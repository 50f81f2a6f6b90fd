import { describe, expect, it } from 'vitest';
import { NOTHING_SENT, parseProgressId, progressId, progressSince } from './task-progress.ts';

const call = (ordinal: number, step: number | null) => ({
  ordinal,
  toolId: '0193a1b2-0000-7000-8000-000000000001',
  toolName: 'Orders',
  step,
  input: '',
  output: '',
  success: true,
  executionTimeMs: 1,
});
const step = (ordinal: number) => ({
  ordinal,
  instruction: 'Look',
  output: '',
  executionTimeMs: 1,
});

const progress = {
  toolCalls: [call(1, 1), call(2, 1), call(3, 2), call(4, 3)],
  steps: [step(1), step(2)],
};
const shown = (events: ReturnType<typeof progressSince>) =>
  events.map(({ event, data, sent }) => `${event} ${data.ordinal} at ${progressId(sent)}`);

describe('the progress of a task', () => {
  it('is sent in order, with the tool calls of a step before it', () => {
    expect(shown(progressSince(NOTHING_SENT, progress))).toEqual([
      'toolCall 1 at 1.0',
      'toolCall 2 at 2.0',
      'step 1 at 2.1',
      'toolCall 3 at 3.1',
      'step 2 at 3.2',
      'toolCall 4 at 4.2',
    ]);
  });

  it('continues after each event with the rest', () => {
    const all = progressSince(NOTHING_SENT, progress);
    for (const [index, { sent }] of all.entries()) {
      const resumed = parseProgressId(progressId(sent)) ?? NOTHING_SENT;
      expect(progressSince(resumed, progress)).toEqual(all.slice(index + 1));
    }
  });

  it.each(['', '1', '1.', 'C1-P1', '-1.0', '1.0.0', '9999999.0'])('has no id "%s"', (text) => {
    expect(parseProgressId(text)).toBeNull();
  });
});
