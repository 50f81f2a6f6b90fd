import { describe, expect, it } from 'vitest';
import { documentPassages } from './document-passages.ts';

const filler = Array.from(
  { length: 120 },
  (_, at) =>
    `## Section ${at + 1}\n\n${`Nothing of interest stands in part ${at + 1}. `.repeat(12)}`,
).join('\n\n');
const late = '## Refunds\n\nThe refund is paid within fourteen days.';
const long = { id: 'a', name: 'long.md', text: `${filler}\n\n${late}` };
const short = { id: 'b', name: 'short.md', text: '# Hours\n\nWe open at nine.' };
const lengthOf = (passages: ReturnType<typeof documentPassages>) =>
  passages.reduce((sum, { text }) => sum + text.length, 0);

describe('the passages of attached documents', () => {
  it('are all of a short document, and name it', () => {
    const passages = documentPassages([short], 'Why?');
    expect(passages.map(({ text }) => text).join('\n')).toContain('We open at nine.');
    expect(passages[0]).toMatchObject({
      articleId: 'b',
      articleTitle: 'short.md',
      isAttachment: true,
    });
  });

  it('are those of a long document that fit the question, within the prompt', () => {
    const passages = documentPassages([long], 'When is the refund paid?');
    expect(passages.some(({ text }) => text.includes('fourteen days'))).toBe(true);
    expect(lengthOf(passages)).toBeLessThanOrEqual(24_000);
    const ordinals = passages.map(({ ordinal }) => ordinal);
    expect(ordinals).toEqual(ordinals.toSorted((a, b) => a - b));
  });

  it('are the beginning of a long document where no word of the question is in it', () => {
    const [first, ...rest] = documentPassages([long], 'Zusammenfassung, bitte');
    expect(first?.ordinal).toBe(0);
    expect(lengthOf(rest)).toBeGreaterThan(10_000);
  });

  it('come from several documents', () => {
    const passages = documentPassages([long, short], 'When do you open?');
    expect(new Set(passages.map(({ articleId }) => articleId))).toEqual(new Set(['a', 'b']));
  });
});
