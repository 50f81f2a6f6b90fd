import { describe, expect, it } from 'vitest';
import type { Planner } from './browsing/planner.ts';
import { type EngineConfig, engineFor, plannerFor } from './choose-engine.ts';
import type { OfflineEngine } from './engine.ts';

const never = () => Promise.reject(new Error('not asked here'));
const offline: OfflineEngine = {
  model: 'offline',
  seesImages: false,
  answer: never,
  closestQuote: () => '',
};
const offlinePlanner: Planner = { model: 'offline', seesImages: false, next: never };
const engine = (config: EngineConfig) => engineFor(config, offline);
const planner = (config: EngineConfig) => plannerFor(config, offlinePlanner);

describe('engineFor', () => {
  it('is the offline engine when nothing is configured', () => {
    expect(engine({})).toBe(offline);
    expect(engine({ openAiApiKey: ' ', openAiModel: 'some-model' })).toBe(offline);
  });

  it('is the endpoint when a key or an address is configured', () => {
    expect(engine({ openAiApiKey: 'sk-test', openAiModel: 'some-model' }).model).toBe('some-model');
    expect(engine({ openAiBaseUrl: 'http://127.0.0.1:11434/v1' })).not.toBe(offline);
  });
});

describe('plannerFor', () => {
  it.each([{}, { openAiApiKey: ' ' }, { openAiBaseUrl: 'http://127.0.0.1:1/v1' }])(
    'plans by the model that answers: %j',
    (config) => {
      expect(planner(config).model).toBe(engine(config).model);
    },
  );

  it('sends pictures to models that read them', () => {
    const seesImages = (openAiModel: string) =>
      planner({ openAiApiKey: 'sk-test', openAiModel }).seesImages;
    expect(seesImages('gpt-4o')).toBe(true);
    expect(seesImages('some-model')).toBe(false);
    expect(planner({}).seesImages).toBe(false);
  });
});
