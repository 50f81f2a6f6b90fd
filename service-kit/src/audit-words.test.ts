import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchQuery, searchVector } from './audit-words.ts';

const organization = '0193a1b2-0000-7000-8000-00000000beef';
const words = (...texts: string[]) =>
  searchVector(organization, texts).replaceAll("'", '').split(' ').filter(Boolean);

describe('what an entry is found by', () => {
  it('is each word once, in lower case, marked with its organization', () => {
    expect(words('Returns: 30 days', 'RETURNS')).toEqual(['beef:returns', 'beef:30', 'beef:days']);
  });
  it('is an id whole', () => {
    expect(words(`of ${organization}!`)).toEqual(['beef:of', `beef:${organization}`]);
  });
  it('is the same for plain text, whatever comes next', () => {
    const character = fc.constantFrom(...'aZ09 -_\'"\\:.,/@~'.split(''));
    const id = fc.uuid().map((text) => ` ${text} `);
    const plain = fc.array(fc.oneof(character, id), { maxLength: 40 }).map((all) => all.join(''));
    fc.assert(
      fc.property(plain, (text) => {
        expect(words(text)).toEqual(words(`${text} é`).filter((word) => word !== 'beef:é'));
      }),
    );
  });
  it('is two characters at a time where words are written without spaces', () => {
    expect(words('返品は30日')).toEqual(['beef:返品', 'beef:品は', 'beef:30', 'beef:日']);
  });
  it('has nothing that would end a word for PostgreSQL', () => {
    expect(words("it's a \\ 'quote' : & | !")).toEqual([
      'beef:it',
      'beef:s',
      'beef:a',
      'beef:quote',
    ]);
  });
  it('is bounded', () => {
    const text = Array.from({ length: 900 }, (_, index) => `n${index}`);
    expect(words(...text)).toHaveLength(400);
    expect(words('x'.repeat(5_000))).toEqual([`beef:${'x'.repeat(40)}`]);
  });
});

describe('the words of a search', () => {
  it('is every word, or longer ones that begin so where it is no short one', () => {
    expect(searchQuery('Return a BOOK')).toBe("'?:return':* & '?:a' & '?:book':*");
  });
  it('is nothing that there is where no word was given', () => {
    expect(searchQuery('!?')).toBe("'?:'");
  });
});
