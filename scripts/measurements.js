import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.js';

const file = join(root, 'docs', 'measurements.md');
const TITLE = '# Measurements\n';

/** When and on what machine something was measured. */
export function machine(node = process.execPath) {
  const version = String(spawnSync(node, ['--version']).stdout)
    .trim()
    .slice(1);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${availableParallelism()} cores, Node ${version}`;
}

/** The content of docs/measurements.md. */
export const readMeasurements = () => (existsSync(file) ? readFileSync(file, 'utf8') : TITLE);

/**
 * Keeps sections of docs/measurements.md; others stay as they were measured.
 *
 * @param {readonly (readonly [heading: string, content: string])[]} sections
 */
export function keepMeasurements(sections) {
  const text = sections.reduce(
    (kept, section) => withSection(kept, ...section),
    readMeasurements(),
  );
  writeFileSync(file, text);
}

/**
 * A text in which the section has this content; it is the last one where there was none.
 *
 * @param {string} text
 * @param {string} heading
 * @param {string} content
 */
export function withSection(text, heading, content) {
  const section = `## ${heading}\n\n${content}\n`;
  const start = text.indexOf(`## ${heading}\n`);
  if (start === -1) return `${text.trimEnd()}\n\n${section}`.trimStart();
  const next = text.indexOf('\n## ', start);
  return text.slice(0, start) + section + (next === -1 ? '' : text.slice(next));
}
