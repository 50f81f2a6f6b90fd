import { describe, expect, it } from 'vitest';
import { firstColumns, OWN_MODEL, repeatedIn, takenOver, variantOf } from './compare.ts';
import { optionOf } from './model-options.ts';

const connectionId = '01890000-0000-7000-8000-000000000001';
const large = { connectionId, model: 'large' };
const options = { temperature: 0.2, maxOutputTokens: 900, reasoningEffort: null };
const texts = {
  name: 'Support',
  description: 'Answers the questions of customers',
  personaConfig: {
    role: 'Support agent',
    personality: 'Patient and precise',
    expertise: ['Returns'],
    communicationStyle: 'friendly' as const,
    responseFormat: 'concise' as const,
  },
};
const modelsOf = () => ['small', 'large'];

describe('the columns of a comparison', () => {
  it('begin with the version before and the current one', () => {
    expect(firstColumns(3).map(({ version }) => version)).toEqual([2, 3]);
    expect(firstColumns(1).map(({ version }) => version)).toEqual([1, 1]);
  });

  it('leave the model to the version unless one is chosen', () => {
    expect(variantOf({ version: 2, option: OWN_MODEL })).toEqual({ version: 2 });
    expect(variantOf({ version: 2, option: '' })).toEqual({ version: 2, model: null });
    expect(variantOf({ version: 2, option: optionOf(large) })).toEqual({
      version: 2,
      model: large,
    });
  });

  it('name the repeated ones', () => {
    const own = { version: 2, option: OWN_MODEL };
    expect(repeatedIn([own, { version: 1, option: OWN_MODEL }, own])).toEqual([2]);
  });
});

describe('what is taken over', () => {
  const fallback = { connectionId: null, model: null };
  const model = { connectionId, model: null, ...options, fallback };

  it('is the version as it was, where its own model answered', () => {
    const chosen = { connectionId, model: 'small' };
    expect(takenOver({ ...texts, model }, { model: chosen }, modelsOf)).toEqual({
      ...texts,
      model,
    });
    expect(takenOver({ ...texts, model: null }, { model: null }, modelsOf)).toEqual({
      ...texts,
      model: null,
    });
  });

  it('is another model with the options and the fallback of the version', () => {
    expect(takenOver({ ...texts, model }, { model: large }, modelsOf).model).toEqual({
      ...large,
      ...options,
      fallback,
    });
  });

  it('has no fallback that is the model itself', () => {
    const own = { ...model, fallback: large };
    expect(
      takenOver({ ...texts, model: own }, { model: large }, modelsOf).model?.fallback,
    ).toBeNull();
  });

  it('may be the default of the installation', () => {
    expect(takenOver({ ...texts, model }, { model: null }, modelsOf).model).toBeNull();
  });
});
