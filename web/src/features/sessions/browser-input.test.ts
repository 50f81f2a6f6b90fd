import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchedScroll, inputOfKey, placeIn, wholeAddress } from './browser-input.ts';

const pressed = (key: string, held: Partial<Parameters<typeof inputOfKey>[0]> = {}) =>
  inputOfKey({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

describe('inputOfKey', () => {
  it('sends letters as text, and named keys as keys', () => {
    expect(pressed('a')).toEqual({ type: 'input', kind: 'text', text: 'a' });
    expect(pressed(' ')).toEqual({ type: 'input', kind: 'text', text: ' ' });
    expect(pressed('🦀')).toMatchObject({ text: '🦀' });
    expect(pressed('Enter')).toEqual({ type: 'input', kind: 'key', key: 'Enter' });
  });
  it('leaves commands and other keys to the member’s own browser', () => {
    expect(pressed('r', { ctrlKey: true })).toBeUndefined();
    expect(pressed('v', { metaKey: true })).toBeUndefined();
    expect(pressed('Tab', { altKey: true })).toBeUndefined();
    for (const key of ['F5', 'Shift', 'Dead', 'Unidentified']) expect(pressed(key)).toBeUndefined();
  });
  it('sends characters typed with AltGr', () => {
    expect(pressed('@', { ctrlKey: true, altKey: true })).toMatchObject({ text: '@' });
  });
});

describe('placeIn', () => {
  const box = { left: 100, top: 50, width: 200, height: 100 };
  it('sends fractions of the width and height', () => {
    expect(placeIn(box, { clientX: 150, clientY: 100 })).toEqual({ x: 0.25, y: 0.5 });
  });
  it('never leaves the picture, nor divides by nothing', () => {
    expect(placeIn(box, { clientX: 99, clientY: 151 })).toEqual({ x: 0, y: 1 });
    const none = { ...box, width: 0, height: 0 };
    expect(placeIn(none, { clientX: 150, clientY: 100 })).toEqual({ x: 0, y: 0 });
  });
});

describe('wholeAddress', () => {
  it('is https by default', () => {
    expect(wholeAddress(' shop.example/a ')).toBe('https://shop.example/a');
    expect(wholeAddress('localhost:8080')).toBe('https://localhost:8080');
    expect(wholeAddress('http://shop.example')).toBe('http://shop.example');
  });
});

describe('batchedScroll', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reports what was typed within the time together', () => {
    const reported: number[] = [];
    const turns = batchedScroll((deltaY) => reported.push(deltaY), 100);
    for (const deltaY of [10, 20, -5]) turns.add(deltaY);
    vi.advanceTimersByTime(99);
    expect(reported).toEqual([]);
    vi.advanceTimersByTime(1);
    turns.add(7);
    vi.advanceTimersByTime(100);
    expect(reported).toEqual([25, 7]);
  });
  it('reports nothing once it has ended', () => {
    const reported: number[] = [];
    const turns = batchedScroll((deltaY) => reported.push(deltaY), 100);
    turns.add(10);
    turns.end();
    vi.advanceTimersByTime(1_000);
    expect(reported).toEqual([]);
  });
});
