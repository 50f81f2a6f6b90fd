import { join } from 'node:path';
import { prepare, root } from './prepare.js';
import { become } from './run.js';

/*
 * Words select test files by their path. Without words, a third of the longest files runs. `--all`
 * runs every case, not a sample; `--slowest` lists the slowest; `--watch` runs unit tests again
 * when a file changes. Everything else goes to vitest.
 */
const given = process.argv.slice(2);
const own = new Set(['--all', '--slowest', '--watch']);
const has = (option) => given.includes(option);
const isWatching = has('--watch');

const isNarrowed = given.some((word) => !word.startsWith('-'));

if (has('--all')) process.env.TEST_CASES = 'all';
else if (!isNarrowed) process.env.TEST_LONG = 'sample';
if (has('--slowest')) process.env.TEST_SLOWEST = 'yes';
const node = await prepare({ web: !isWatching });
become(node, [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  ...(isWatching ? ['watch', '--project', 'unit'] : ['run']),
  ...given.filter((option) => !own.has(option)),
]);
