import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './prepare.js';
import { testCode } from './rules/dependency-rules.js';
import { dependenciesOf } from './rules/imports.js';
import { isSource, projectFiles } from './rules/source-files.js';

/*
 * `npm run numbers -- [FOLDER]`: how large the code is, and how many files a typical change touches.
 * With a folder it counts that folder alone and lists its small files that only one file imports.
 */
const SMALL_LINES_MAX = 30;
const GOALS = { files: 1_150, lines: 92_000, small: 0, agentField: 20, charge: 14 };
/** A field of agents, and a type of paid work. They stand for one that is added. */
const AGENT_FIELD = 'persona';
const CHARGE = 'tool_run';
const WORDS = ['whoever', 'somebody', 'nobody', 'anew', 'of ours', 'tells of'];

const isTest = (file) => /\.test\.tsx?$/.test(file);
const isCounted = (file) => isSource(file) && !isTest(file) && !file.startsWith('bench/');
/** Translations repeat the English texts, so only those are counted. */
const isEnglishText = (file) => file.startsWith('web/src/locales/en/');
const linesOf = (text) => text.split('\n').length - 1;

/** The value below which this share of the values lies. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/**
 * Files of fewer than 30 lines that one file imports. Tests count only as importers of test
 * support. Names such as `x.routes.ts`, `x-migration.ts` and `env.ts` say why a file stands by
 * itself, and so does an importer that loads it on demand.
 *
 * @param {ReadonlyMap<string, string>} texts source files with their text
 * @param {readonly { from: string, to: string }[]} dependencies
 */
export function smallFilesWithOneImporter(texts, dependencies) {
  const importers = new Map();
  for (const { from, to } of dependencies) {
    if (!isTest(from) || testCode.test(to)) importers.set(to, new Set(importers.get(to)).add(from));
  }
  const hasRole = (file) => /(\/env|-migration|\/[^/]+\.[a-z-]+)\.tsx?$/.test(file);
  const isOnDemand = ({ file, importer }) =>
    texts.get(importer)?.includes(`/${basename(file)}')`) ?? false;
  return [...texts]
    .filter(([file, text]) => linesOf(text) < SMALL_LINES_MAX && !hasRole(file))
    .filter(([file]) => importers.get(file)?.size === 1)
    .map(([file]) => ({ file, importer: [...importers.get(file)][0] }))
    .filter((pair) => !isOnDemand(pair));
}

/** How often the texts have a word, as a whole word. */
export function countOf(word, texts) {
  const pattern = new RegExp(`\\b${word}\\b`, 'gi');
  return texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}

function print(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  for (const [name, ...cells] of rows) {
    const numbers = cells.map((cell, at) => String(cell).padStart(widths[at + 1]));
    console.log([name.padEnd(widths[0]), ...numbers].join('  '));
  }
}

function main() {
  const folder = (process.argv[2] ?? '').replace(/\/$/, '');
  const isInside = (file) => folder === '' || file.startsWith(`${folder}/`);
  const all = projectFiles(root);
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const textsOf = (files) => new Map(files.filter(isInside).map((file) => [file, read(file)]));
  const sources = textsOf(all.filter(isCounted));
  const lines = [...sources.values()].map(linesOf);
  const named = [...textsOf(all.filter((file) => isCounted(file) || isEnglishText(file))).values()];
  const naming = (word) => named.filter((text) => countOf(word, [text]) > 0).length;
  const small = smallFilesWithOneImporter(sources, dependenciesOf(root, all.filter(isSource)));
  const count = (number) => number.toLocaleString('en');

  print([
    ['', 'now', 'goal'],
    ['source files, without tests and bench', count(lines.length), count(GOALS.files)],
    ['their lines', count(lines.reduce((sum, each) => sum + each, 0)), count(GOALS.lines)],
    ['lines of a file: median', quantile(lines, 0.5), ''],
    ['lines of a file: 90 % have fewer than', quantile(lines, 0.9), ''],
    [`files under ${SMALL_LINES_MAX} lines with one importer, no role`, small.length, GOALS.small],
    [`files that name the agents' field ${AGENT_FIELD}`, naming(AGENT_FIELD), GOALS.agentField],
    [`files that name the charge ${CHARGE}`, naming(CHARGE), GOALS.charge],
  ]);

  const scripts = all.filter((file) => /^(scripts|judges)\/.*\.js$/.test(file));
  const own = 'scripts/numbers.js';
  const kinds = [
    [...sources.values(), ...textsOf(scripts.filter((file) => file !== own)).values()],
    [...textsOf(all.filter((file) => file.endsWith('.md'))).values()],
    [...textsOf(all.filter((file) => isTest(file))).values()],
  ];
  console.log('');
  print([
    ['word', 'code', 'docs', 'tests'],
    ...WORDS.map((word) => [word, ...kinds.map((texts) => countOf(word, texts))]),
  ]);
  if (folder === '') return;
  console.log('');
  for (const { file, importer } of small) console.log(`${file}  imported by ${importer}`);
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) main();
