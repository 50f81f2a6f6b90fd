import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.js';
import { tarballOf } from './tarball.js';

/* `npm run pack:client -- FOLDER`, and the same with `pack:cli` and `pack:verifier`: the tarball that others install. */

await prepare({ web: false });
const [workspace = '', folder = '.'] = process.argv.slice(2);
const { file, bytes, integrity } = tarballOf(workspace);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, file), bytes);
console.log(`${file} ${integrity}`);
