import { describe, expect, it } from 'vitest';
import { leavesOf, threeWayMerge, withBoth } from './three-way-merge.ts';

const opened = {
  name: 'Support',
  tags: ['a', 'b'],
  isActive: true,
  persona: { role: 'Desk', style: 'formal' },
};

describe('a merge of two changes', () => {
  it('keeps both where they touch different fields, within groups too', () => {
    const mine = { ...opened, name: 'Help', persona: { role: 'Desk', style: 'casual' } };
    const theirs = { ...opened, isActive: false, persona: { role: 'Lead', style: 'formal' } };
    const { values, fields } = threeWayMerge(opened, mine, theirs);
    expect(values).toEqual({
      name: 'Help',
      tags: ['a', 'b'],
      isActive: false,
      persona: { role: 'Lead', style: 'casual' },
    });
    expect(fields).toEqual([
      { name: 'isActive', opened: true, mine: true, theirs: false, isOverlap: false },
      { name: 'persona.role', opened: 'Desk', mine: 'Desk', theirs: 'Lead', isOverlap: false },
    ]);
  });

  it('keeps mine where both changed a field, and names it', () => {
    const mine = { ...opened, name: 'Help', tags: ['a'] };
    const theirs = { ...opened, name: 'Service', tags: ['a', 'b', 'c'] };
    const { values, fields } = threeWayMerge(opened, mine, theirs);
    expect(values).toEqual(mine);
    expect(fields.map(({ name, isOverlap }) => [name, isOverlap])).toEqual([
      ['name', true],
      ['tags', true],
    ]);
  });

  it('is no overlap where both made the same change', () => {
    const same = { ...opened, name: 'Help' };
    const { values, fields } = threeWayMerge(opened, same, { ...same });
    expect(values).toEqual(same);
    expect(fields).toMatchObject([{ name: 'name', isOverlap: false }]);
  });

  it('leaves out what only I changed', () => {
    const mine = { ...opened, name: 'Help' };
    expect(threeWayMerge(opened, mine, opened)).toEqual({ values: mine, fields: [] });
  });

  it('takes a field that only one of the versions has', () => {
    type Config = { url: string; extra?: string };
    const before: Config = { url: 'a' };
    const theirs: Config = { url: 'a', extra: 'new' };
    expect(threeWayMerge(before, before, theirs).values).toEqual(theirs);
    const mine: Config = { url: 'a', extra: 'own' };
    expect(threeWayMerge(before, mine, theirs).values).toEqual(mine);
    expect(threeWayMerge(theirs, theirs, before).values.extra).toBeUndefined();
  });

  it('is nothing new where nobody changed anything', () => {
    expect(threeWayMerge(opened, opened, opened)).toEqual({ values: opened, fields: [] });
  });
});

describe('the values of a form', () => {
  it('are listed with their paths', () => {
    expect(leavesOf({ name: 'a', persona: { role: 'b', list: ['c'] } })).toEqual([
      ['name', 'a'],
      ['persona.role', 'b'],
      ['persona.list', ['c']],
    ]);
  });
});

const both = (before: unknown, mine: unknown, theirs: unknown) =>
  withBoth({ name: 'x', opened: before, mine, theirs, isOverlap: true });
const text = (...lines: string[]) => lines.join('\n');

describe('a field with both changes', () => {
  const before = text('one', 'two', 'three', 'four', 'five');

  it('has the lines of both where they are in different places', () => {
    const mine = text('ONE', 'two', 'three', 'four', 'five');
    const theirs = text('one', 'two', 'three', 'FOUR', 'five', 'six');
    const merged = text('ONE', 'two', 'three', 'FOUR', 'five', 'six');
    expect(both(before, mine, theirs)).toBe(merged);
    expect(both(before, theirs, mine)).toBe(merged);
  });

  it('keeps what was inserted and deleted on either side', () => {
    const mine = text('zero', 'one', 'two', 'three', 'four', 'five');
    const theirs = text('one', 'two', 'three', 'five');
    expect(both(before, mine, theirs)).toBe(text('zero', 'one', 'two', 'three', 'five'));
  });

  it('has a change that both made once', () => {
    const mine = text('ONE', 'two', 'three', 'four', 'FIVE');
    const theirs = text('ONE', 'two', 'THREE', 'four', 'five');
    expect(both(before, mine, theirs)).toBe(text('ONE', 'two', 'THREE', 'four', 'FIVE'));
  });

  it.each([
    ['the same line', text('one', 'TWO', 'three', 'four', 'five'), before.replace('two', 'Zwei')],
    ['lines that meet', before.replace('two', 'TWO'), before.replace('three', 'THREE')],
    ['insertions at one place', text(before, 'six'), text(before, 'seven')],
    ['a line that the other deleted', before.replace('two', 'TWO'), before.replace('two\n', '')],
  ])('does not exist for %s', (_, mine, theirs) => {
    expect(both(before, mine, theirs)).toBeUndefined();
    expect(both(before, theirs, mine)).toBeUndefined();
  });

  it('has what either added to a list or removed from it', () => {
    expect(both(['a', 'b', 'c'], ['a', 'c', 'mine'], ['b', 'c', 'theirs'])).toEqual([
      'c',
      'theirs',
      'mine',
    ]);
    expect(both([], ['same'], ['same', 'theirs'])).toEqual(['same', 'theirs']);
  });

  it('does not exist for other values', () => {
    expect(both(1, 2, 3)).toBeUndefined();
    expect(both([{ name: 'a' }], [], [{ name: 'b' }])).toBeUndefined();
    expect(both('', null, 'text')).toBeUndefined();
  });
});
