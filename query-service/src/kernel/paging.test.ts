import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { describe, expect, it } from 'vitest';
import { nextLink, pageValues } from './paging.ts';

const id = '0190b5a0-0000-7000-8000-000000000000';
const createdAt = '2026-11-21T05:46:11.109+00:00';
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('pageValues', () => {
  it('requests the whole list, up to 1,000 rows, by default', () => {
    expect(pageValues({})).toEqual({ limit: 1000, cursor_at: null, cursor_id: null });
  });

  it('begins after the row that the cursor names', () => {
    expect(pageValues({ limit: 2, cursor: cursorOf([createdAt, id]) })).toEqual({
      limit: 2,
      cursor_at: createdAt,
      cursor_id: id,
    });
  });

  it('refuses the cursor of the other order, by its name', () => {
    const cursors = {
      newest: cursorOf([createdAt, id]),
      oldest: cursorOf([createdAt, id, 'oldest']),
    };
    for (const [order, cursor] of Object.entries(cursors)) {
      const isOldest = order === 'oldest';
      expect(pageValues({ cursor, ...(isOldest && { order }) })).toMatchObject({ cursor_id: id });
      const refused = pageValues({ cursor, ...(!isOldest && { order: 'oldest' }) });
      expect(refused).toMatchObject({ status: 422, errors: [{ path: 'cursor' }] });
    }
  });

  it('begins after a name in a list that is sorted by name', () => {
    const cursor = cursorOf(['ärmel, ⅓', id, 'name']);
    expect(pageValues({ cursor, sort: 'name' })).toMatchObject({ cursor_at: 'ärmel, ⅓' });
  });

  it('refuses the cursor of another sort, by its name', () => {
    const cursors = {
      '-createdAt': cursorOf([createdAt, id]),
      createdAt: cursorOf([createdAt, id, 'createdAt']),
      '-updatedAt': cursorOf([createdAt, id, '-updatedAt']),
      name: cursorOf(['support', id, 'name']),
      '-name': cursorOf(['support', id, '-name']),
    } as const;
    for (const own of Object.keys(cursors) as (keyof typeof cursors)[]) {
      for (const sort of Object.keys(cursors) as (keyof typeof cursors)[]) {
        const expected =
          own === sort ? { cursor_id: id } : { status: 422, errors: [{ path: 'cursor' }] };
        expect(pageValues({ cursor: cursors[own], sort })).toMatchObject(expected);
      }
    }
  });

  it.each([
    ['no base64url', '%%%'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['nothing', ''],
    ['another shape', cursorOf({ createdAt, id })],
    ['no moment', cursorOf(['yesterday', id])],
    ['no day of the calendar', cursorOf(['2026-02-30T00:00:00Z', id])],
    ['a year that PostgreSQL has not', cursorOf(['0000-01-01T00:00:00Z', id])],
    ['an offset that PostgreSQL has not', cursorOf(['2026-01-01T00:00:00+23:00', id])],
    ['too fine a fraction', cursorOf([`2026-01-01T00:00:00.${'1'.repeat(60)}Z`, id])],
    ['an order that is none', cursorOf([createdAt, id, 'best'])],
    ['a time for a name', cursorOf([createdAt, id, 'name', 1])],
    ['a name with a character that PostgreSQL has not', cursorOf(['\u0000', id, 'name'])],
    ['no id', cursorOf([createdAt, "'; select 1"])],
  ])('refuses a cursor that holds %s, by its name', (_, cursor) => {
    const refused = pageValues({ cursor });
    expect(isRefusal(refused)).toBe(true);
    expect(refused).toMatchObject({ status: 422, errors: [{ path: 'cursor' }] });
  });
});

describe('nextLink', () => {
  const key = JSON.stringify([createdAt, id]);

  it('leads to the rows after the one that it names', () => {
    const link = nextLink('/api/agents', key, 2);
    const [, limit, cursor = ''] =
      /^<\/api\/agents\?limit=(\d+)&cursor=([\w-]+)>; rel="next"$/.exec(link) ?? [];
    expect(limit).toBe('2');
    expect(pageValues({ cursor })).toMatchObject({ cursor_at: createdAt, cursor_id: id });
  });

  it('repeats the given parameters, and no others', () => {
    const link = nextLink('/api/tasks', key, 2, { status: 'failed', agentId: undefined });
    expect(link).toMatch(/^<\/api\/tasks\?limit=2&cursor=[\w-]+&status=failed>; rel="next"$/);
  });

  it('keeps the requested sort', () => {
    const link = nextLink('/api/agents', JSON.stringify(['support', id]), 2, { sort: '-name' });
    const [, cursor = ''] = /cursor=([\w-]+)&sort=-name>/.exec(link) ?? [];
    expect(pageValues({ cursor, sort: '-name' })).toMatchObject({ cursor_at: 'support' });
  });

  it('keeps the requested order', () => {
    const link = nextLink('/api/tasks', key, 2, { order: 'oldest' });
    const [, cursor = ''] = /cursor=([\w-]+)&order=oldest>/.exec(link) ?? [];
    expect(pageValues({ cursor, order: 'oldest' })).toMatchObject({ cursor_id: id });
  });
});
