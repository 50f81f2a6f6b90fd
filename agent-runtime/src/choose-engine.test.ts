import { describe, expect, it } from 'vitest';
import { engineFor } from './choose-engine.ts';

describe('engineFor', () => {
  it('is the built-in engine when nothing is configured', () => {
    expect(engineFor({}).model).toBe('built-in engine');
    expect(engineFor({ openAiApiKey: ' ', openAiModel: 'some-model' }).model).toBe(
      'built-in engine',
    );
  });

  it('is the endpoint when a key or an address is configured', () => {
    expect(engineFor({ openAiApiKey: 'sk-test', openAiModel: 'some-model' }).model).toBe(
      'some-model',
    );
    expect(engineFor({ openAiBaseUrl: 'http://127.0.0.1:11434/v1' }).model).not.toBe(
      'built-in engine',
    );
  });
});
