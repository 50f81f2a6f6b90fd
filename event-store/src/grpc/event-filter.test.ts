import { describe, expect, it } from 'vitest';
import { textMatcher } from './event-filter.ts';
import { streamsPb } from './protocol.ts';

function matcher({ regex = '', prefixes = [] as string[] }) {
  const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression();
  return textMatcher(expression.setRegex(regex).setPrefixList(prefixes));
}

describe('a filter', () => {
  it('takes any of its prefixes', () => {
    const matches = matcher({ prefixes: ['ledger-', 'task-'] });
    expect(['ledger-1', 'task-', 'my-task-1', 'Ledger-1'].map(matches)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('takes a regular expression', () => {
    const matches = matcher({ regex: '^[^$].*' });
    expect(['$metadata', 'CreditsReserved', ''].map(matches)).toEqual([false, true, false]);
  });

  it('prefers prefixes to a regular expression', () => {
    expect(matcher({ regex: '.*', prefixes: ['a'] })('b')).toBe(false);
  });

  it('is refused when it is empty or no regular expression', () => {
    expect(() => matcher({})).toThrow(/prefixes or a regular expression/);
    expect(() => matcher({ regex: '(' })).toThrow(/is not a regular expression/);
  });
});
