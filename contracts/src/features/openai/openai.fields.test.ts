import { describe, expect, it } from 'vitest';
import { EMBEDDING_INPUT_MAX, EMBEDDING_INPUTS_MAX, EmbeddingTexts } from './openai.fields.ts';

const wrongOf = (input: unknown) =>
  EmbeddingTexts.safeParse(input).error?.issues.map(({ path, message }) => [path.join(), message]);

describe('the texts of a call for embeddings', () => {
  it('are one text, or a list', () => {
    expect(EmbeddingTexts.parse('one')).toEqual(['one']);
    expect(EmbeddingTexts.parse(['one', 'two'])).toEqual(['one', 'two']);
    const most = Array.from({ length: EMBEDDING_INPUTS_MAX }, () => 'x');
    expect(EmbeddingTexts.parse(most)).toEqual(most);
    expect(EmbeddingTexts.parse('x'.repeat(EMBEDDING_INPUT_MAX))).toHaveLength(1);
  });

  it('are refused as tokens, with one error for all of them', () => {
    const tokens = Array.from({ length: 5_000 }, (_, at) => at);
    for (const input of [tokens, [tokens]]) {
      expect(wrongOf(input)).toEqual([['0', 'input must be texts: tokens are not supported']]);
    }
    expect(wrongOf(['one', 2])).toEqual([['1', 'input must be texts: tokens are not supported']]);
  });

  it('are refused when they are missing, empty, too many or too long', () => {
    const count = 'input must be a text, or a list of 1 to 256 texts';
    for (const input of [undefined, null, 5, {}, [], Array(257).fill('x')]) {
      expect(wrongOf(input)).toEqual([['', count]]);
    }
    expect(wrongOf('')).toEqual([['', 'input must not be empty']]);
    expect(wrongOf(['x', ''])).toEqual([['1', 'input must not be empty']]);
    const long = 'x'.repeat(EMBEDDING_INPUT_MAX);
    expect(wrongOf(`${long}x`)).toEqual([['', 'input must be at most 32000 characters a text']]);
    expect(wrongOf(Array(10).fill(long))).toEqual([
      ['', 'input must be at most 300000 characters together'],
    ]);
  });
});
