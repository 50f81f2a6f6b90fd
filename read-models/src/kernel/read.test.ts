import { describe, expect, it } from 'vitest';
import { int, text, timestamp, uuid } from './columns.ts';
import { selectOf } from './read.ts';
import { table } from './read-model.ts';

const boats = table({
  key: ['boat_id'],
  columns: {
    boat_id: uuid,
    organization_id: uuid,
    name: text,
    mast_count: int,
    built_at: timestamp,
  },
});
const view = { shape: { id: 1, name: 1, mastCount: 1, owner: 1 } };

describe('the select list of a view', () => {
  it('has each field from the column of its name, or as it is computed', () => {
    expect(selectOf(view, boats, 'b', { id: 'b.boat_id', owner: 'o.name' })).toBe(
      'b.boat_id as "id", b.name as "name", b.mast_count as "mastCount", o.name as "owner"',
    );
  });

  it('has a computed field instead of a column', () => {
    const computed = { id: 'b.boat_id', owner: 'null', name: 'upper(b.name)' };
    expect(selectOf(view, boats, 'b', computed)).toContain('upper(b.name) as "name"');
  });
});
