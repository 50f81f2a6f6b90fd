import { relative } from 'node:path';

const isNoticed = ({ status }) => status === 'Killed' || status === 'Timeout';
const isUnnoticed = ({ status }) => status === 'Survived' || status === 'NoCoverage';

/**
 * How many changes there were, and the share that a test noticed. Changes that can't run count
 * for neither.
 *
 * @param {readonly { status: string }[]} mutants
 */
export function scoreOf(mutants) {
  const noticed = mutants.filter(isNoticed).length;
  const total = noticed + mutants.filter(isUnnoticed).length;
  return { total, percent: total === 0 ? 100 : (100 * noticed) / total };
}

/**
 * A line for each change that no test noticed: its place, what stands there now, and the change.
 *
 * @param {readonly any[]} mutants
 * @param {string} root
 * @param {(file: string) => string} read
 */
export function survivorsOf(mutants, root, read) {
  return mutants
    .filter(isUnnoticed)
    .toSorted(
      (a, b) =>
        a.fileName.localeCompare(b.fileName) || a.location.start.line - b.location.start.line,
    )
    .map(({ fileName, location, replacement, status }) => {
      const place = `${relative(root, fileName)}:${location.start.line}`;
      const before = textAt(read(fileName), location);
      const note = status === 'NoCoverage' ? ' (no test runs it)' : '';
      return `${place}  ${short(before)}  →  ${short(replacement)}${note}`;
    });
}

/** Lines count from 1 and columns from 1. */
function textAt(text, { start, end }) {
  const lines = text.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join(' ');
}

const SHOWN = 90;
function short(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

const HEAD = `\`npm run mutants -- --keep PATH\`

| files | mutants | noticed by unit tests | measured |
|---|---|---|---|`;

/**
 * The section of docs/measurements.md with the row of these files; others stay as measured.
 *
 * @param {string} measurements
 * @param {{ files: string, total: number, percent: number, measured: string }} row
 */
export function tableWith(measurements, { files, total, percent, measured }) {
  const [, section = ''] = measurements.split('\n## Mutants\n');
  const before = section
    .split('\n## ')[0]
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const key = `| \`${files}\` |`;
  const row = `${key} ${total} | ${percent.toFixed(1)} % | ${measured} |`;
  const rows = [...before.filter((line) => !line.startsWith(key)), row].toSorted();
  return [HEAD, ...rows].join('\n');
}
