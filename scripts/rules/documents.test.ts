import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../prepare.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'event-store/README.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** GitHub's name for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** Relative links of a document that lead to no file or to no heading. */
function brokenLinks(document: string): string[] {
  const prose = read(document).replace(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, to = '']) => to);
  return links.filter((to) => {
    const [path = '', anchor] = to.split('#');
    const file = path ? join(dirname(document), path) : document;
    if (!existsSync(join(root, file))) return true;
    if (anchor === undefined) return false;
    const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text);
    return !headings.map(anchorOf).includes(anchor);
  });
}

/** Source files that a document names by their path from the root, and that do not exist. */
function missingFiles(document: string): string[] {
  // A word in capitals stands for any name.
  const named = [
    ...read(document).matchAll(/(?<![\w./-])[a-z-]+\/(?:src|rules)\/[a-z0-9_./-]+\.tsx?/g),
  ];
  return named.map(([path]) => path).filter((path) => !existsSync(join(root, path)));
}

/** The words in the first column of a table, without what stands in parentheses. */
function termsOf(document: string, heading: string): string[] {
  const section = read(document).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = [...section.matchAll(/^\| ([^|]+?) \|/gm)].slice(1).map(([, cell = '']) => cell);
  return cells.flatMap((cell) => cell.replace(/ \(.*\)/, '').split(', '));
}

describe('documents', () => {
  it.each(documents)('link to files and headings that exist: %s', (document) => {
    expect(brokenLinks(document)).toEqual([]);
  });
});

describe('documents about the code', () => {
  // The walks in changing.md name files that a change would add.
  it.each(documents.filter((document) => document !== 'docs/changing.md'))(
    'name files that exist: %s',
    (document) => {
      expect(missingFiles(document)).toEqual([]);
    },
  );
});

describe('the glossary', () => {
  it('has every term that translators are given', () => {
    const given = termsOf('docs/translating.md', 'Terms');
    expect(given.length).toBeGreaterThan(30);
    expect(given.filter((term) => !termsOf('docs/writing.md', 'Glossary').includes(term))).toEqual(
      [],
    );
  });
});
