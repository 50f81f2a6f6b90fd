import { settingNames } from '@tallyhand/service-kit/settings';
import { describe, expect, it } from 'vitest';
import { readFile } from '../testing/compose-file.ts';

describe('docs/operations.md', () => {
  it('lists every setting once, and no other', () => {
    const section = readFile('docs/operations.md').split('\n## Settings\n')[1] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/[A-Z_]+/g) ?? []);
    expect(listed.toSorted()).toEqual([...settingNames].toSorted());
  });
});
