import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = readFileSync('docs/security.md', 'utf8');
const rows = [...text.matchAll(/^\| (\d+) \|.*$/gm)];

describe('the table of security bars', () => {
  it('has all twelve', () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
  });

  it.each(rows.map(([row, number]) => ({ number, row })))(
    'names existing tests: $number',
    ({ row }) => {
      const files = [...row.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => !existsSync(file))).toEqual([]);
    },
  );
});
