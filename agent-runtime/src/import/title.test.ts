import { describe, expect, it } from 'vitest';
import { chosenTitle, firstHeading } from './read-source.ts';

describe('firstHeading', () => {
  it.each([
    ['words\n\n## Second *kind* of `heading` ##\n# Next', 'Second kind of heading'],
    ['Title\n=====\n\nwords', 'Title'],
    ['Title\n---', 'Title'],
    ['```\n# code\n```\n# Text', 'Text'],
    ['````\n```\n# code\n````\n# Text', 'Text'],
    ['# [A link](https://example.com/a_b) and snake_case\\_', 'A link and snake_case_'],
    ['- item\n---\n\n#hashtag', ''],
    ['one line\nanother\n---', ''],
    ['', ''],
  ])('of %j', (markdown, heading) => {
    expect(firstHeading(markdown)).toBe(heading);
  });
});

describe('chosenTitle', () => {
  it('is the first that is not empty, on one line', () => {
    expect(chosenTitle('', ' \n ', 'two\n  lines', 'other')).toBe('two lines');
    expect(chosenTitle('', '')).toBe('Untitled');
  });

  it('has at most 200 characters', () => {
    expect(chosenTitle('a'.repeat(200))).toBe('a'.repeat(200));
    expect(chosenTitle('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`);
  });
});
