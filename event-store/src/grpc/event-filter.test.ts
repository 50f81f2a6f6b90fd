import { describe, expect, it } from 'vitest';
import { textMatcher } from './event-filter.ts';
import { streamsPb } from './protocol.ts';

function matcher({ regex = '', prefixes = [] as string[] }) {
  const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression();
  return textMatcher(expression.setRegex(regex).setPrefixList(prefixes)).matches;
}

describe('a filter', () => {
  it('accepts any of its prefixes', () => {
    const matches = matcher({ prefixes: ['ledger-', 'task-'] });
    expect(['ledger-1', 'task-', 'my-task-1', 'Ledger-1'].map(matches)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('accepts a regular expression', () => {
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

  it('accepts characters that JavaScript escapes differently', () => {
    const { source } = /^a\/\u00e4(?<n>\d)$/;
    expect(['a/ä1', 'a/ä'].map(matcher({ regex: source }))).toEqual([true, false]);
  });

  it.each(['^(a+)+$', '(.*)*x(.*)*y(a|a|aa)*$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'takes time in proportion to the text, whatever the expression: %s',
    (regex) => {
      // By backtracking, each of them would outlast the test by years.
      expect(matcher({ regex })(`${'a'.repeat(2_000)}!`)).toBe(false);
    },
  );

  it.each([
    ['too long', 'a'.repeat(1_001), /has at most 1000 characters/],
    ['too complex', '(a?){700}', /too complex/],
    ['of more than RE2 has', '^(?!a)', /is not a regular expression of RE2/],
  ])('refuses a regular expression that is %s', (_what, regex, reason) => {
    expect(() => matcher({ regex })).toThrow(reason);
  });

  it('refuses to match a text that would take too long', () => {
    const matches = matcher({ regex: '(a?){100}a{100}$' });
    expect(matches('a'.repeat(300))).toBe(true);
    expect(() => matches('a'.repeat(1_000_000))).toThrow(/too complex for a text/);
  });
});
