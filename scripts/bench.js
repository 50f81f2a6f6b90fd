import { join } from 'node:path';
import { prepare, prepareJudges, root } from './prepare.js';
import { become } from './run.js';

/* `npm run bench -- [PART…]`: figures of the product beside those of what it is compared with. */
const node = await prepare({ web: true });
prepareJudges();
become(node, [join(root, 'bench', 'src', 'main.ts'), ...process.argv.slice(2)]);
