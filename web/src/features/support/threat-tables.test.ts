import { describe, expect, it } from 'vitest';
import document from '../../../../docs/threat-model.md?raw';
import { ACTORS, threatsIn } from './threat-tables.tsx';

describe('the threat model of the page', () => {
  it('has each table of the document, under a heading that is translated', () => {
    const threats = threatsIn(document);
    expect(threats.map(({ actor }) => actor)).toEqual(Object.keys(ACTORS));
    const rows = document.split('\n').filter((line) => /^\| (?!forges)/.test(line));
    expect(threats.flatMap((each) => each.rows)).toHaveLength(rows.length);
  });

  it('has no mark that the page would show as it is written', () => {
    const texts = threatsIn(document).flatMap(({ text, rows }) => [
      text,
      ...rows.flatMap(({ forges, shows }) => [forges, shows]),
    ]);
    for (const text of texts) {
      expect(text).not.toBe('');
      expect(text).not.toMatch(/\]\((?!\/)|^#|<[a-z]/);
    }
  });
});
