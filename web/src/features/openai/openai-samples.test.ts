import { describe, expect, it } from 'vitest';
import { modelOf, openAiSample } from './openai-samples.ts';

const ORIGIN = 'https://tallyhand.example';
const agent = (id: string, name: string, isActive = true) => ({ id, name, isActive });

describe('the model of a sample', () => {
  it('is the name of the first active agent, or its id where the name is not unique', () => {
    expect(modelOf([agent('1', 'Paused', false), agent('2', 'Support')])).toBe('Support');
    expect(modelOf([agent('1', 'Support'), agent('2', 'Support')])).toBe('1');
    expect(modelOf([])).toBe('AGENT_ID');
  });
});

describe('a sample', () => {
  it('has five lines or fewer, and the address of this server', () => {
    for (const language of ['curl', 'javascript', 'python'] as const) {
      const sample = openAiSample(language, ORIGIN, 'Support');
      expect(sample.split('\n').length).toBeLessThanOrEqual(5);
      expect(sample).toContain(`${ORIGIN}/v1`);
    }
  });

  it('is one command of a shell, whatever the agent is called', () => {
    const name = `Ada's "help" $HOME`;
    const [, word = ''] = /-d '(.*)'$/.exec(openAiSample('curl', ORIGIN, name)) ?? [];
    // Within single quotes a shell changes nothing, and ends them at the next one.
    const parts = word.split(String.raw`'\''`);
    expect(parts.join('')).not.toContain("'");
    expect(JSON.parse(parts.join("'"))).toMatchObject({ model: name });
  });
});
