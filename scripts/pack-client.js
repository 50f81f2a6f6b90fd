import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { environment, prepare, root } from './prepare.js';

/* `npm run pack:client -- FOLDER`: the client library as the tarball that others install. */

await prepare({ web: false });
const folder = resolve(process.argv[2] ?? '.');
const options = ['pack', '--workspace', 'client', '--pack-destination', folder];
const { status } = spawnSync('npm', options, { cwd: root, env: environment(), stdio: 'inherit' });
process.exitCode = status ?? 1;
