import { describe, expect, it } from 'vitest';
import { entityTag, entityTagsOf } from './entity-tag.ts';

describe('an entity tag', () => {
  it('is the version, and differs while an agent is paused', () => {
    expect(entityTag({ version: 3 })).toBe('"3"');
    expect(entityTag({ version: 3, isActive: true })).toBe('"3"');
    expect(entityTag({ version: 3, isActive: false })).toBe('"3-paused"');
  });
});

describe('If-Match', () => {
  it.each([
    ['"3"', ['"3"']],
    ['"3", W/"4-paused"', ['"3"', '"4-paused"']],
    [' * ', '*'],
    ['3', null],
    ['"3" "4"', null],
    ['', null],
  ])('%s is read as %j', (header, tags) => {
    expect(entityTagsOf(header)).toEqual(tags);
  });
});
