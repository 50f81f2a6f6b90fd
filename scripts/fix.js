import { join } from 'node:path';
import { prepare, root } from './prepare.js';
import { become } from './run.js';

await prepare({ web: false });
become(join(root, 'node_modules', '.bin', 'biome'), ['check', '--write', '.']);
