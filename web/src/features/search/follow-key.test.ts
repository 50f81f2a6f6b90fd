import { describe, expect, it } from 'vitest';
import { GO_MS_MAX, type Key, shortcutReader } from './follow-key.ts';

const typed = (key: string, more: Partial<Key> = {}): Key => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

const afterG = (key: Key, ms = 0) => {
  const read = shortcutReader();
  read(typed('g'), 0);
  return read(key, ms);
};

describe('a shortcut', () => {
  it('is one key', () => {
    const read = shortcutReader();
    expect(read(typed('/'), 0)).toEqual({ kind: 'search' });
    expect(read(typed('?', { shiftKey: true }), 0)).toEqual({ kind: 'list' });
    expect(read(typed('c'), 0)).toEqual({ kind: 'create' });
    expect(read(typed('x'), 0)).toBeUndefined();
  });

  it('is g and the letter of a page, in time', () => {
    expect(afterG(typed('a'))).toEqual({ kind: 'go', letter: 'a' });
    expect(afterG(typed('c'))).toEqual({ kind: 'go', letter: 'c' });
    expect(afterG(typed('a'), GO_MS_MAX)).toBeUndefined();
  });

  it('is no key with a modifier: the browser has its own use for these', () => {
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey'] as const) {
      expect(shortcutReader()(typed('c', { [modifier]: true }), 0)).toBeUndefined();
    }
    expect(shortcutReader()(typed('C', { shiftKey: true }), 0)).toBeUndefined();
  });

  it('is the same key on a keyboard of another alphabet', () => {
    expect(shortcutReader()(typed('с', { code: 'KeyC' }), 0)).toEqual({ kind: 'create' });
    expect(afterG(typed('ф', { code: 'KeyA' }))).toEqual({ kind: 'go', letter: 'a' });
  });
});
