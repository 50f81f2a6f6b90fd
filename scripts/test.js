import { join } from 'node:path';
import { prepare, root } from './prepare.js';
import { become } from './run.js';

const node = await prepare({ web: true });
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
become(node, [vitest, 'run', ...process.argv.slice(2)]);
