import { describe, expect, it } from 'vitest';
import { failuresOf, listOf } from './report.js';

const root = '/project';
const test = (fullName: string, message?: string) => ({
  fullName,
  status: message === undefined ? 'passed' : 'failed',
  failureMessages: message === undefined ? [] : [message],
});
const file = (name: string, assertionResults: ReturnType<typeof test>[], message = '') => {
  const hasFailed = message !== '' || assertionResults.some((each) => each.status === 'failed');
  const status = hasFailed ? 'failed' : 'passed';
  return { name: `${root}/${name}`, status, message, assertionResults };
};

describe('the report of a round', () => {
  it('names each test that failed, and none that passed', () => {
    const testResults = [
      file('a.test.ts', [test('credits are granted'), test('credits are charged', 'expected 1')]),
      file('b.test.ts', [test('tasks end')]),
    ];
    expect(failuresOf({ testResults }, true, root)).toEqual([
      { file: 'a.test.ts', name: 'credits are charged', message: 'expected 1' },
    ]);
  });

  it('names a file that failed outside of its tests once', () => {
    const testResults = [
      file('a.test.ts', [], 'cannot be loaded'),
      file('b.test.ts', [test('one'), test('two')], 'a hook failed'),
    ];
    expect(failuresOf({ testResults }, true, root)).toMatchObject([
      { file: 'a.test.ts', message: 'cannot be loaded' },
      { file: 'b.test.ts', message: 'a hook failed' },
    ]);
  });

  it('is a failure when vitest fails without a test or a report', () => {
    const testResults = [file('a.test.ts', [test('one')])];
    expect(failuresOf({ testResults }, true, root)).toHaveLength(1);
    expect(failuresOf(undefined, true, root)).toHaveLength(1);
    expect(failuresOf({ testResults }, false, root)).toEqual([]);
  });
});

describe('the list of failures', () => {
  const often = { file: 'a.test.ts', name: 'often', message: 'expected 1\n    at a.test.ts:3' };
  const once = { file: 'a.test.ts', name: 'once', message: 'expected 2' };

  it('counts each test, most frequent first, with the seeds that repeat it', () => {
    const rounds = [
      { seed: 7, failures: [once, often] },
      { seed: 8, failures: [] },
      { seed: 9, failures: [often] },
    ];
    expect(listOf(rounds)).toEqual([
      '2 of 3  a.test.ts often  TEST_SEED 7, 9',
      '        expected 1',
      '1 of 3  a.test.ts once  TEST_SEED 7',
      '        expected 2',
    ]);
  });

  it('is empty after rounds without a failure', () => {
    expect(listOf([{ seed: 7, failures: [] }])).toEqual([]);
  });
});
