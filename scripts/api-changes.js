import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from '../contracts/src/api-document.ts';
import { root } from './prepare.js';
import { breakingChanges, comparable } from './rules/breaking-changes.js';

/*
 * Prints what the API document breaks for programs that were written for the last release, and then fails.
 * With `--keep`, keeps today's document for the next comparison: a release does that.
 */

const path = join(root, 'docs', 'api-released.json');
const today = comparable(apiDocument({ version: '', serverUrl: '', signInCookie: '' }));

if (process.argv.includes('--keep')) {
  writeFileSync(path, textOf(today));
} else {
  const faults = breakingChanges(
    JSON.parse(readFileSync(path, 'utf8')),
    today,
    new Date().toISOString().slice(0, 10),
  );
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

/** One line for each call, event and component, so that a diff shows what changed. */
function textOf({ paths, webhooks, components }) {
  const lines = (object, print = JSON.stringify) =>
    `{\n${Object.entries(object)
      .map(([name, value]) => `${JSON.stringify(name)}: ${print(value)}`)
      .join(',\n')}\n}`;
  return `${lines({ paths, webhooks, components }, (part) =>
    part === components ? lines(components, lines) : lines(part),
  )}\n`;
}
