import { describe, expect, it } from 'vitest';
import { excerptOf } from './article-excerpt.ts';

const of = (content: string, title = 'Returns') => excerptOf({ title, content });

describe('the excerpt of an article', () => {
  it('is its beginning in one line, without the marks of headings', () => {
    expect(of('## Labels\n\nWe send\n  one.')).toBe('Labels We send one.');
  });

  it('does not repeat the title above it', () => {
    expect(of('# returns \n\nWithin 30 days.')).toBe('Within 30 days.');
    expect(of('Returns\r\nWithin 30 days.')).toBe('Within 30 days.');
    expect(of('Returns are free.')).toBe('Returns are free.');
  });

  it('has at most 100 characters, whatever their kind', () => {
    expect(of('x'.repeat(100))).toBe('x'.repeat(100));
    expect(of('👋'.repeat(101))).toBe(`${'👋'.repeat(100)}…`);
  });
});
