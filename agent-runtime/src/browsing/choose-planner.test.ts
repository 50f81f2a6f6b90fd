import { expect, it } from 'vitest';
import { engineFor } from '../choose-engine.ts';
import { plannerFor } from './choose-planner.ts';

it.each([{}, { openAiApiKey: ' ' }, { openAiBaseUrl: 'http://127.0.0.1:1/v1' }])(
  'plans by the model that answers: %j',
  (config) => {
    expect(plannerFor(config).model).toBe(engineFor(config).model);
  },
);

it('shows pictures to models that see', () => {
  const planner = (openAiModel: string) => plannerFor({ openAiApiKey: 'sk-test', openAiModel });
  expect(planner('gpt-4o').seesImages).toBe(true);
  expect(planner('some-model').seesImages).toBe(false);
  expect(plannerFor({}).seesImages).toBe(false);
});
