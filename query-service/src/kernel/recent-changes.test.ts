import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import { describe, expect, it } from 'vitest';
import { recentChanges } from './recent-changes.ts';

const changeOf = (organizationId: string, ...features: string[]) => [{ organizationId, features }];

/** Of a process that has heard everything for a while. */
function heardFor(organizationsMax?: number) {
  let ms = 0;
  const recent = recentChanges(() => ms, organizationsMax);
  ms += CHANGES_REACH_BACK_MS + 1;
  return { recent, pass: (by: number) => (ms += by) };
}

describe('what has changed lately', () => {
  it('is known by organization, each feature once, for as long as streams reach back', () => {
    const { recent, pass } = heardFor();
    recent.add([...changeOf('one', 'tasks', 'credits'), ...changeOf('other', 'agents')]);
    pass(CHANGES_REACH_BACK_MS);
    recent.add(changeOf('one', 'tasks'));
    expect(recent.of('one')).toEqual(['tasks', 'credits']);
    expect(recent.of('other')).toEqual(['agents']);
    expect(recent.of('third')).toEqual([]);
    pass(1);
    expect(recent.of('one')).toEqual(['tasks']);
    expect(recent.of('other')).toEqual([]);
  });

  it('may be anything where the process was not there, or has not heard all', () => {
    expect(recentChanges().of('one')).toEqual(['all']);
    const { recent, pass } = heardFor();
    expect(recent.of('one')).toEqual([]);
    recent.add(null);
    expect(recent.of('one')).toEqual(['all']);
    pass(CHANGES_REACH_BACK_MS + 1);
    expect(recent.of('one')).toEqual([]);
  });

  it('is forgotten of the organizations that were quiet for longest, and then may be anything', () => {
    const { recent, pass } = heardFor(2);
    recent.add(changeOf('first', 'tasks'));
    pass(1);
    recent.add([...changeOf('second', 'tasks'), ...changeOf('third', 'tasks')]);
    expect(recent.of('first')).toEqual(['all']);
    expect(recent.of('second')).toEqual(['all']);
    pass(CHANGES_REACH_BACK_MS);
    expect(recent.of('first')).toEqual([]);
    expect(recent.of('second')).toEqual(['tasks']);
  });
});
