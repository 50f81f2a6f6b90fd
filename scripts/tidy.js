import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';
import { projectFiles } from './rules/source-files.js';
import { untidy } from './rules/tidy.js';

const isText = (file) => !/\.(png|jpg|webp|ico|woff2)$/.test(file);
const faults = projectFiles(root)
  .filter((file) => isText(file) && existsSync(join(root, file)))
  .flatMap((file) => untidy(file, readFileSync(join(root, file), 'utf8')));
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
