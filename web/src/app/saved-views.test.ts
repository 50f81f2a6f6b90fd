import { beforeEach, describe, expect, it, vi } from 'vitest';
import { keepViews, nameFault, VIEWS_MAX, viewSearch, viewsOf, withView } from './saved-views.ts';

const failed = { name: 'Failed', search: 'status=failed', isDefault: false };

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  return () => vi.unstubAllGlobals();
});

describe('saved views', () => {
  it('belong to a list, and to a member in an organization', () => {
    keepViews('ann/one', 'tasks', [failed]);
    keepViews('ann/one', 'audit', []);
    expect(viewsOf('ann/one', 'tasks')).toEqual([failed]);
    expect(viewsOf('ann/one', 'audit')).toEqual([]);
    expect(viewsOf('ann/two', 'tasks')).toEqual([]);
  });

  it('are bounded for each list and each browser', () => {
    const many = Array.from({ length: VIEWS_MAX + 1 }, (_, n) => ({ ...failed, name: `${n}` }));
    keepViews('ann/one', 'tasks', many);
    expect(viewsOf('ann/one', 'tasks')).toHaveLength(VIEWS_MAX);
    for (let n = 0; n < 10; n++) keepViews(`ann/${n}`, 'tasks', [failed]);
    expect(viewsOf('ann/one', 'tasks')).toEqual([]);
    expect(viewsOf('ann/0', 'tasks')).toEqual([failed]);
  });

  it.each(['{', 'null', '[{"owner":"ann/one","lists":{"tasks":[{"name":""}]}}]'])(
    'are none where something else is stored: %s',
    (text) => {
      localStorage.setItem('tallyhand-views', text);
      expect(viewsOf('ann/one', 'tasks')).toEqual([]);
    },
  );

  it('have one default at most', () => {
    const first = { ...failed, isDefault: true };
    const second = { name: 'Mine', search: 'q=mine', isDefault: true };
    expect(withView([first], second)).toEqual([failed, second]);
  });

  it('have names that are there, short, and no other’s', () => {
    expect(nameFault('  ', [])).toBe('empty');
    expect(nameFault('x'.repeat(41), [])).toBe('long');
    expect(nameFault(' failed', ['Failed'])).toBe('taken');
    expect(nameFault('Failed', [])).toBeUndefined();
  });

  it('hold the filters and the sort of an address, and nothing else', () => {
    const address = new URLSearchParams('task=7&status=failed&q=a+b&sort=-created&type=');
    const names = ['q', 'status', 'type', 'sort'];
    expect(viewSearch(address, names)).toBe('q=a+b&status=failed&sort=-created');
  });
});
