import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { describe, expect, it } from 'vitest';
import { recentChanges } from './recent-changes.ts';

const changeOf = (organizationId: string, ...features: string[]) => [{ organizationId, features }];

const at = (place: number): Position => ({ commit: BigInt(place), prepare: BigInt(place) });

/** For a process that has received all notifications for a while. */
function heardFor(organizationsMax?: number) {
  let ms = 0;
  const recent = recentChanges(() => ms, organizationsMax);
  ms += CHANGES_REACH_BACK_MS + 1;
  return { recent, pass: (by: number) => (ms += by) };
}

describe('recent changes', () => {
  it('are known by organization, each feature once, for as long as streams reach back', () => {
    const { recent, pass } = heardFor();
    recent.add([...changeOf('one', 'tasks', 'credits'), ...changeOf('other', 'agents')], null);
    pass(CHANGES_REACH_BACK_MS);
    recent.add(changeOf('one', 'tasks'), null);
    expect(recent.of('one', null)).toEqual(['tasks', 'credits']);
    expect(recent.of('other', null)).toEqual(['agents']);
    expect(recent.of('third', null)).toEqual([]);
    pass(1);
    expect(recent.of('one', null)).toEqual(['tasks']);
    expect(recent.of('other', null)).toEqual([]);
  });

  it('may be anything if the process was not there, or missed notifications', () => {
    expect(recentChanges().of('one', null)).toEqual(['all']);
    const { recent, pass } = heardFor();
    expect(recent.of('one', null)).toEqual([]);
    recent.add(null, null);
    expect(recent.of('one', null)).toEqual(['all']);
    pass(CHANGES_REACH_BACK_MS + 1);
    expect(recent.of('one', null)).toEqual([]);
  });

  it('leave out what a page has already read, by its position', () => {
    const { recent } = heardFor();
    recent.add(changeOf('one', 'agents'), at(4));
    recent.add(changeOf('one', 'tasks'), at(6));
    expect(recent.of('one', at(3))).toEqual(['agents', 'tasks']);
    expect(recent.of('one', at(4))).toEqual(['tasks']);
    expect(recent.of('one', at(6))).toEqual([]);
    // Its place is not known: it may have come after the read.
    recent.add(changeOf('one', 'team'), null);
    expect(recent.of('one', at(6))).toEqual(['team']);
    recent.add(null, at(8));
    expect(recent.of('one', at(7))).toEqual(['all']);
    expect(recent.of('one', at(8))).toEqual(['team']);
  });

  it('are forgotten for the organizations that were quiet longest, and then may be anything', () => {
    const { recent, pass } = heardFor(2);
    recent.add(changeOf('first', 'tasks'), null);
    pass(1);
    recent.add([...changeOf('second', 'tasks'), ...changeOf('third', 'tasks')], null);
    expect(recent.of('first', null)).toEqual(['all']);
    expect(recent.of('second', null)).toEqual(['all']);
    pass(CHANGES_REACH_BACK_MS);
    expect(recent.of('first', null)).toEqual([]);
    expect(recent.of('second', null)).toEqual(['tasks']);
  });
});
