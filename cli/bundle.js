import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf } from '../scripts/notices.js';

/*
 * Bundles the command line with all that it imports: the package has no dependencies. Writes dist/,
 * with the licenses of the packages inside. Plain JavaScript, so that the system's Node runs it.
 */

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
rmSync(dist, { recursive: true, force: true });

const bundle = await rolldown({
  input: { tallyhand: join(folder, 'src', 'tallyhand.main.ts') },
  platform: 'node',
  transform: { target: 'node20.19' },
  onLog: (level, { message }) => {
    if (level === 'warn') throw new Error(message);
  },
});
const { output } = await bundle.write({
  dir: dist,
  format: 'es',
  chunkFileNames: '[name].js',
  comments: false,
});

mkdirSync(dist, { recursive: true });
const moduleIds = output.flatMap((part) => part.moduleIds ?? []);
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesOf(moduleIds));
