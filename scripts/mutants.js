import { join } from 'node:path';
import { prepare, prepareJudges, root } from './prepare.js';
import { become } from './run.js';

/*
 * `npm run mutants -- PATH…`: changes the files (paths or globs) in one place after the other and
 * runs the unit tests that cover it. Prints each change that no test noticed, and the share that
 * tests did notice; `--keep` writes it to docs/measurements.md. Works in a copy of the project.
 */
const node = await prepare({ web: false });
prepareJudges();
become(node, [join(root, 'judges', 'mutants.js'), ...process.argv.slice(2)]);
