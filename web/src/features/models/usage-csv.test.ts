import { expect, it } from 'vitest';
import { usageCsv } from './usage-csv.ts';

const row = {
  key: 'a',
  name: null,
  calls: 2,
  estimatedCalls: 0,
  unpricedCalls: 1,
  inputTokens: 1_000,
  cachedTokens: 10,
  outputTokens: 50,
  latencyMs: 900,
  costMicros: 161,
};

it('has a line for each row, with quotes, and no formulas', () => {
  const rows = [row, { ...row, name: 'Ada, "the first"' }, { ...row, name: '=1+1' }];
  expect(usageCsv(rows).split('\r\n')).toEqual([
    'key,name,calls,estimatedCalls,unpricedCalls,inputTokens,cachedTokens,outputTokens,latencyMs,costMicros',
    'a,,2,0,1,1000,10,50,900,161',
    'a,"Ada, ""the first""",2,0,1,1000,10,50,900,161',
    "a,'=1+1,2,0,1,1000,10,50,900,161",
    '',
  ]);
});

it('leaves the cost empty where no price is known', () => {
  const line = (more: object) => usageCsv([{ ...row, ...more }]).split('\r\n')[1];
  expect(line({ unpricedCalls: 2, costMicros: 0 })).toBe('a,,2,0,2,1000,10,50,900,');
  expect(line({ unpricedCalls: 0, costMicros: 0 })).toBe('a,,2,0,0,1000,10,50,900,0');
});
