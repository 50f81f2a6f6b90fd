import { describe, expect, it } from 'vitest';
import { withAdded } from './assign-many.ts';

const assigned = { articles: ['a1', 'a2'], playbooks: ['p1'], tools: ['t1'], version: 3 };

describe('assigning several resources to an agent', () => {
  it('adds those that it does not have, and keeps all others', () => {
    expect(withAdded(assigned, 'articles', ['a2', 'a3'], {})).toEqual({
      articles: ['a1', 'a2', 'a3'],
      playbooks: ['p1'],
      tools: ['t1'],
    });
  });

  it('leaves out what was deleted, which would be refused', () => {
    const there = { articles: new Set(['a2', 'a3']), tools: new Set<string>() };
    expect(withAdded(assigned, 'articles', ['a3'], there)).toEqual({
      articles: ['a2', 'a3'],
      playbooks: ['p1'],
      tools: [],
    });
  });

  it('changes nothing where the agent has them all', () => {
    expect(withAdded(assigned, 'playbooks', ['p1'], {})).toBeUndefined();
  });
});
