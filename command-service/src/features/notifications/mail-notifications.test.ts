import { describe, expect, it } from 'vitest';
import { planMail } from './mail-notifications.ts';

const MINUTE = 60_000;
const times = { restMs: 2 * MINUTE, betweenMs: 60 * MINUTE };
const now = 1_000 * MINUTE;
const notification = (id: string, minutesAgo: number, isCritical = false) => ({
  id,
  at: now - minutesAgo * MINUTE,
  isCritical,
});
const plan = (
  notifications: ReturnType<typeof notification>[],
  lastMinutesAgo: number | null = null,
) => {
  const lastAt = lastMinutesAgo === null ? null : now - lastMinutesAgo * MINUTE;
  const { now: goes, againAt } = planMail(notifications, lastAt, { ...times, now });
  const inMinutes = againAt === null ? null : (againAt - now) / MINUTE;
  return [goes.map(({ id }) => id).join(' '), inMinutes];
};

describe('the next mail to a member', () => {
  it.each([
    ['holds what has rested', [notification('a', 2)], null, ['a', null]],
    ['waits for what may still be read', [notification('a', 1.5)], null, ['', 0.5]],
    [
      'leaves what is new to a later one',
      [notification('a', 2), notification('b', 1)],
      null,
      ['a', 60],
    ],
    ['comes an hour after the one before', [notification('a', 30)], 59, ['', 1]],
    [
      'comes when the hour is over',
      [notification('a', 30), notification('b', 3)],
      60,
      ['a b', null],
    ],
    ['waits for the longer of both', [notification('a', 0)], 59, ['', 2]],
    ['holds what is critical at once', [notification('a', 0, true)], 1, ['a', null]],
    [
      'leaves the rest to its hour',
      [notification('a', 30), notification('b', 0, true)],
      1,
      ['b', 60],
    ],
    [
      'takes along what is due',
      [notification('a', 3), notification('b', 0, true)],
      90,
      ['a b', null],
    ],
    ['is none where there is nothing', [], 90, ['', null]],
  ])('%s', (_name, notifications, lastMinutesAgo, expected) => {
    expect(plan(notifications, lastMinutesAgo)).toEqual(expected);
  });
});
