import { describe, expect, it } from 'vitest';
import { matchingTasks } from './matching-tasks.ts';

const returns = { input: 'How long to return?', output: 'Thirty days', status: 'success' as const };
const shipping = { input: 'Shipping to Malta?', output: null, status: 'queued' as const };
const broken = { input: 'Prices', output: null, status: 'failed' as const };
const tasks = [returns, shipping, broken];

describe('the filters of the task list', () => {
  it('find words in the input, in whatever case', () => {
    expect(matchingTasks(tasks, ' mALTA ', 'all')).toEqual([shipping]);
  });
  it('find words in the output', () => {
    expect(matchingTasks(tasks, 'thirty', 'all')).toEqual([returns]);
  });
  it('count what waits for its turn as running', () => {
    expect(matchingTasks(tasks, '', 'running')).toEqual([shipping]);
  });
  it('hold both at once', () => {
    expect(matchingTasks(tasks, 'thirty', 'failed')).toEqual([]);
  });
});
