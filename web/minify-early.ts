import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minify, type Plugin, type ResolvedConfig } from 'vite';

/** The script that runs before all others: it is no module, and so no part of the bundle. */
const FILE = 'early.js';

/** Writes it without comments and long names, as the bundler writes the others. */
export function minifyEarly(): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'minify-early',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    async writeBundle() {
      const source = await readFile(join(config.publicDir, FILE), 'utf8');
      const { code, errors } = await minify(FILE, source, { compress: true, mangle: true });
      if (errors.length > 0) throw new Error(`${FILE} can't be minified: ${errors[0]?.message}`);
      await writeFile(join(config.root, config.build.outDir, FILE), code);
    },
  };
}
