import { describe, expect, it } from 'vitest';
import { comparedModel } from './compared-model.ts';

const own = {
  connectionId: '01890000-0000-7000-8000-000000000001',
  model: 'small',
  temperature: 0.2,
  maxOutputTokens: 900,
  reasoningEffort: 'low' as const,
  fallback: { connectionId: null, model: null },
};
const other = { connectionId: '01890000-0000-7000-8000-000000000002', model: 'large' };

describe('the model of a comparison', () => {
  it('has the options of the version, and no fallback', () => {
    expect(comparedModel(own, other)).toEqual({ ...own, ...other, fallback: null });
    const { connectionId, model } = own;
    expect(comparedModel(own, { connectionId, model })).toEqual({ ...own, fallback: null });
  });

  it('has no options where the version has no model', () => {
    const none = { temperature: null, maxOutputTokens: null, reasoningEffort: null };
    expect(comparedModel(null, other)).toEqual({ ...none, ...other, fallback: null });
  });

  it('may be the default of the installation', () => {
    expect(comparedModel(own, null)).toBeNull();
  });
});
