import { describe, expect, it } from 'vitest';
import { describeRebuild, type Rebuild } from './rebuild-command.ts';

const rebuild: Rebuild = {
  projection: 'tasks',
  state: 'building',
  done: 300,
  total: 1_000,
  seconds: 1.5,
  detail: null,
};

describe('the progress of a rebuild', () => {
  it('reports the progress, the speed, and the remaining time', () => {
    expect(describeRebuild(rebuild)).toBe(
      'tasks: 300 of 1000 events, 200 events/s, about 4 s left',
    );
  });

  it('promises nothing before the first event is done', () => {
    expect(describeRebuild({ ...rebuild, done: 0, seconds: 0 })).toBe(
      'tasks: 0 of 1000 events, 0 events/s',
    );
  });
});
