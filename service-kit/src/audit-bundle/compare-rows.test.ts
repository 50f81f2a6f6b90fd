import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRows, type ExpectedRow, type FoundRow } from './compare-rows.ts';

type Row = FoundRow['row'];
const row = (sequence: number, hashes = `leaf ${sequence}`) => ({ sequence, hashes });
const rowsTo = (size: number) => Array.from({ length: size }, (_, at) => row(at + 1));

async function* linesOf<T, L>(items: readonly T[], line: (item: T, number: number) => L) {
  for (const [at, item] of items.entries()) yield line(item, at + 1);
}

/** The faults in words: kind, sequence, line of the rows, line of the proof. */
async function faultsOf(found: readonly Row[], expected = rowsTo(9)) {
  const { faults, unreported } = await compareRows(
    linesOf(found, (item, line): FoundRow => ({ line, row: item })),
    linesOf(expected, (item, line): ExpectedRow => ({ line, ...item })),
  );
  const lines = faults.map(({ kind, sequence, rowLine, proofLine }) =>
    [kind, sequence ?? '-', rowLine ?? '-', proofLine ?? '-'].join(' '),
  );
  return unreported > 0 ? [...lines, `${unreported} more`] : lines;
}

describe('rows beside their proof', () => {
  const rows: readonly Row[] = rowsTo(9);

  it('have no fault when they are the same', async () => {
    expect(await faultsOf(rows)).toEqual([]);
    expect(await faultsOf([], [])).toEqual([]);
  });

  it.each<[string, readonly Row[], string[]]>([
    ['altered', rows.with(3, row(4, 'x')), ['altered 4 4 4']],
    ['unreadable', rows.with(3, null), ['unreadable 4 4 4']],
    ['missing', rows.toSpliced(3, 1), ['missing 4 - 4']],
    ['missing at the end', rows.slice(0, 7), ['missing 8 - 8', 'missing 9 - 9']],
    ['added', rows.toSpliced(3, 0, row(99)), ['added 99 4 -']],
    ['added at the end', [...rows, row(10)], ['added 10 10 -']],
    ['added and unreadable', rows.toSpliced(3, 0, null), ['added - 4 -']],
    ['there twice', rows.toSpliced(4, 0, row(4)), ['added 4 5 -']],
    ['swapped', rows.with(3, row(6)).with(5, row(4)), ['moved 5 5 5', 'moved 6 4 6']],
    ['moved to the end', [...rows.toSpliced(3, 1), row(4)], ['moved 4 9 4']],
    ['of another sequence', rows.with(3, row(99, 'x')), ['missing 4 - 4', 'added 99 4 -']],
    [
      'all others',
      rowsTo(9).map(() => null),
      rows.map((_, at) => `unreadable ${at + 1} ${at + 1} ${at + 1}`),
    ],
  ])('are reported when one is %s', async (_, found, faults) => {
    expect(await faultsOf(found)).toEqual(faults);
  });

  it('are reported when many are missing, and a few far beyond', async () => {
    const found: Row[] = rowsTo(1_000).toSpliced(10, 500).with(300, row(801, 'x'));
    const faults = await faultsOf(found, rowsTo(1_000));
    expect(faults).toHaveLength(501);
    expect([faults[0], faults.at(-2), faults.at(-1)]).toEqual([
      'missing 11 - 11',
      'missing 510 - 510',
      'altered 801 301 801',
    ]);
  });

  it('are counted when too many are missing to list', async () => {
    const faults = await faultsOf([], rowsTo(5_000));
    expect(faults).toHaveLength(1_001);
    expect(faults.at(-1)).toBe('4000 more');
  });

  it('never pass when anything differs', async () => {
    const other = fc.option(
      fc.record({
        sequence: fc.integer({ min: 1, max: 12 }),
        hashes: fc.constantFrom('x', 'leaf 3'),
      }),
    );
    const lists = fc.array(fc.oneof(fc.constantFrom(...rowsTo(12)), other), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lists, async (found) => {
        const isSame = JSON.stringify(found) === JSON.stringify(rows);
        expect((await faultsOf(found)).length === 0).toBe(isSame);
      }),
    );
  });
});
