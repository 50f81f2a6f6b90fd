import type { LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import { describe, expect, it } from 'vitest';
import { afterMessage, frameRate, isOver, liveMessage, NOTHING_SEEN } from './live-view.ts';

const sessionId = '0198c0de-0000-7000-8000-000000000001';
const timestamp = '2026-11-21T08:00:00.000Z';
const frame = { screenshot: 'AAAA', url: 'https://a.example/', title: 'A', timestamp };
const agent = { by: 'agent', personId: null } as const;
const action = (details: string) => ({ action: 'click', details, timestamp });

const initial = (details: readonly string[]): LiveMessage => ({
  type: 'initial_state',
  sessionId,
  status: 'running',
  control: agent,
  actions: details.map(action),
  ...frame,
});
const update: LiveMessage = { type: 'live_update', ...frame };
const told = (details: string): LiveMessage => ({ type: 'action', ...action(details) });

const after = (...messages: readonly LiveMessage[]) =>
  messages.reduce((view, message) => afterMessage(view, message, 1_000), NOTHING_SEEN);
const details = (...messages: readonly LiveMessage[]) =>
  after(...messages).actions.map((it) => it.details);

describe('liveMessage', () => {
  it('accepts what the contract declares, and nothing else', () => {
    expect(liveMessage(JSON.stringify(update))).toEqual(update);
    for (const other of ['', '{', '{}', '[]', 'null', '{"type":"live_update"}', new Blob([])]) {
      expect(liveMessage(other)).toBeUndefined();
    }
  });
});

describe('afterMessage', () => {
  it('is live when the server has sent the state', () => {
    expect(NOTHING_SEEN.connection).toBe('connecting');
    expect(after(initial([]))).toMatchObject({ connection: 'live', screenshot: 'AAAA' });
    expect(after(update).connection).toBe('connecting');
  });
  it('keeps the ten latest actions, the newest first', () => {
    const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
    const ten = names.toReversed().slice(0, 10);
    expect(details(initial([]), ...names.map(told))).toEqual(ten);
    expect(details(initial(names))).toEqual(ten);
    expect(details(initial(names), told('a12'))).toEqual(['a12', ...ten.slice(0, 9)]);
  });
  it("has after a reconnect exactly the server's state", () => {
    expect(details(initial(['a']), told('b'), initial(['a', 'b', 'missed']))).toEqual([
      'missed',
      'b',
      'a',
    ]);
  });
  it('follows who steers and how it ends', () => {
    const person = { by: 'person', personId: sessionId } as const;
    const taken = after(initial([]), { type: 'state', status: 'running', control: person });
    expect(taken.control).toEqual(person);
    expect(isOver(taken)).toBe(false);
    expect(isOver(after({ type: 'state', status: 'failed', control: agent }))).toBe(true);
  });
  it('keeps a refusal until something other than a new picture arrives', () => {
    const why = { code: 'no', message: 'Not yours.' };
    const refused: LiveMessage = { type: 'error', ...why };
    expect(after(initial([]), refused, update).error).toEqual(why);
    const state: LiveMessage = { type: 'state', status: 'running', control: agent };
    for (const later of [initial([]), told('a'), state]) {
      expect(after(refused, later).error).toBeNull();
    }
  });
});

describe('frameRate', () => {
  const at = (moments: readonly number[]) =>
    moments.reduce((view, now) => afterMessage(view, update, now), NOTHING_SEEN);

  it('counts the pictures of the last five seconds', () => {
    const twiceASecond = Array.from({ length: 40 }, (_, index) => index * 500);
    expect(frameRate(at(twiceASecond), 19_500)).toBe(2);
    expect(frameRate(at([1_000, 1_200]), 2_000)).toBe(0.4);
  });
  it('is empty once the session has ended', () => {
    expect(frameRate(at([1_000, 1_200]), 6_300)).toBe(0);
    expect(frameRate(NOTHING_SEEN, 0)).toBe(0);
  });
});
