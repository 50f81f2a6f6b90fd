import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileLines } from './verify-contents.ts';

async function* pieces(...parts: readonly Buffer[]) {
  yield* parts;
}
const linesOf = (...parts: readonly Buffer[]) => Array.fromAsync(fileLines(pieces(...parts)));

describe('the lines of a file', () => {
  it('are the same in whichever pieces it comes', async () => {
    const texts = fc.array(fc.constantFrom('', 'a', '日本', '"x"', '\r'), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), fc.nat(9), async (lines, isEnded, size) => {
        const text = lines.join('\n') + (isEnded ? '\n' : '');
        const bytes = Buffer.from(text);
        const cuts = Array.from({ length: bytes.length + 1 }, (_, at) =>
          bytes.subarray(at * (size + 1), (at + 1) * (size + 1)),
        );
        const expected = text.split(/(?<=\n)/).filter(Boolean);
        expect(await linesOf(...cuts)).toEqual(
          expected.map((line, at) => ({ number: at + 1, text: line })),
        );
      }),
    );
  });

  it('are skipped when one is not UTF-8', async () => {
    expect(await linesOf(Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a]))).toEqual([
      { number: 1, text: null },
      { number: 2, text: 'b\n' },
    ]);
  });

  it('are skipped when one is longer than any row', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    const long = Array.from({ length: 17 }, () => mebibyte);
    expect(await linesOf(...long, Buffer.from('\nb'))).toEqual([
      { number: 1, text: null },
      { number: 2, text: 'b' },
    ]);
  });
});
