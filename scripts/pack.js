import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { environment, prepare, root } from './prepare.js';

/* `npm run pack:client -- FOLDER`, `npm run pack:cli -- FOLDER`: the tarball that others install. */

await prepare({ web: false });
const [workspace = '', folder = '.'] = process.argv.slice(2);
const options = ['pack', '--workspace', workspace, '--pack-destination', resolve(folder)];
const { status } = spawnSync('npm', options, { cwd: root, env: environment(), stdio: 'inherit' });
process.exitCode = status ?? 1;
