import { agents } from '@tallyhand/read-models/features/agents/agents.tables';
import { articles } from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import { connections } from '@tallyhand/read-models/features/models/connections.tables';
import { tools } from '@tallyhand/read-models/features/tools/tools.tables';
import { describe, expect, it } from 'vitest';
import { changesBetween, fieldsOf } from './changed-fields.ts';

const noText = async () => null;

describe('the fields of an event', () => {
  it("have the API's names, and objects are listed field by field", async () => {
    const persona = { role: 'Support', expertise: ['Returns'] };
    expect(await fieldsOf(agents, { name: 'Ada', persona }, noText)).toEqual({
      name: 'Ada',
      'personaConfig.role': 'Support',
      'personaConfig.expertise': ['Returns'],
    });
    expect(await fieldsOf(tools, { toolType: 'api' }, noText)).toEqual({ type: 'api' });
  });
  it('are the stored texts, cut when they are long', async () => {
    const content = { kind: 'blob', hash: 'a', bytes: 9_000 };
    const fields = await fieldsOf(articles, { content }, async () => 'x'.repeat(9_000));
    expect(fields).toEqual({ content: 'x'.repeat(2_000) });
  });
  it('are lists as they stand', async () => {
    const prices = [{ model: 'small', input: 0.1, cachedInput: null, output: 0.3 }];
    expect(await fieldsOf(connections, { prices }, noText)).toEqual({ prices });
  });
  it('show only the names of credentials', async () => {
    const credentials = { id: 'secret-id', names: ['apiKey'] };
    expect(await fieldsOf(tools, { credentials }, noText)).toEqual({ credentials: ['apiKey'] });
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
