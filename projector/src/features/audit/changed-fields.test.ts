import { describe, expect, it } from 'vitest';
import { changesBetween, fieldsOf } from './changed-fields.ts';

const noText = async () => null;

describe('the fields of an event', () => {
  it("have the API's names, and objects are listed field by field", async () => {
    const persona = { role: 'Support', expertise: ['Returns'] };
    expect(await fieldsOf({ name: 'Ada', persona, toolType: 'api' }, noText)).toEqual({
      name: 'Ada',
      type: 'api',
      'personaConfig.role': 'Support',
      'personaConfig.expertise': ['Returns'],
    });
  });
  it('are texts from where they are kept, cut when they are long', async () => {
    const content = { kind: 'blob', hash: 'a', bytes: 9_000 };
    const fields = await fieldsOf({ content }, async () => 'x'.repeat(9_000));
    expect(fields).toEqual({ content: 'x'.repeat(2_000) });
  });
  it('say of credentials only which there are', async () => {
    const credentials = { id: 'secret-id', names: ['apiKey'] };
    expect(await fieldsOf({ credentials }, noText)).toEqual({ credentials: ['apiKey'] });
  });
});

describe('the changes between two states', () => {
  it('are the fields with another value, with the value before', () => {
    expect(changesBetween({ title: 'A', tags: ['x'] }, { title: 'B', tags: ['x'] })).toEqual([
      { field: 'title', before: 'A', after: 'B' },
    ]);
  });
  it('are all fields of a new object', () => {
    expect(changesBetween({}, { title: 'A' })).toEqual([
      { field: 'title', before: null, after: 'A' },
    ]);
  });
});
