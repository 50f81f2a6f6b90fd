import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';
import { brokenRules, featuresOfContracts, undeclaredPackages } from './rules/dependency-rules.js';
import { cyclesIn, dependenciesOf } from './rules/imports.js';
import { isSource, projectFiles } from './rules/source-files.js';

const files = projectFiles(root).filter((file) => isSource(file) && existsSync(join(root, file)));
const dependencies = dependenciesOf(root, files);
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const faults = [
  ...brokenRules(dependencies),
  ...undeclaredPackages(dependencies, manifestOf),
  ...cyclesIn(dependencies).map((way) => `No cycles: ${way}`),
  ...cyclesIn(featuresOfContracts(dependencies)).map((way) => `No circles in contracts: ${way}`),
];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
