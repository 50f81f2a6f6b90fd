import { realpathSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { endWithNpm } from './end-with-npm.js';
import { compileCache, prepare, root } from './prepare.js';
import { become } from './run.js';

const node = await prepare({ web: true, development: false });
endWithNpm();

if (node.includes('/') && realpathSync(process.execPath) === realpathSync(node)) {
  // This is the right Node already: the product runs here, which saves a process.
  process.env.NODE_COMPILE_CACHE = compileCache;
  module.enableCompileCache(compileCache);
  await import(join(root, 'stack', 'src', 'main.ts'));
} else {
  become(node, ['--disable-warning=ExperimentalWarning', join(root, 'scripts', 'start.js')]);
}
