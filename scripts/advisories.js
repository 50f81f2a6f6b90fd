import { spawnSync } from 'node:child_process';
import { root } from './prepare.js';

/*
 * Fails if a package has a known advisory of high severity or worse. Reports a registry without
 * advisories, or without an answer: that is no failure.
 */
const LEVELS = ['high', 'critical'];
const { stdout } = spawnSync('npm', ['audit', '--json'], {
  cwd: root,
  encoding: 'utf8',
  timeout: 60_000,
  maxBuffer: 64 * 1024 * 1024,
});
const counts = countsIn(stdout ?? '');
if (!counts) console.log('The registry did not answer: nothing is known of advisories.');
else {
  const found = LEVELS.map((level) => `${counts[level] ?? 0} ${level}`).join(', ');
  console.log(`Known advisories: ${found}. \`npm audit\` lists them.`);
  if (LEVELS.some((level) => counts[level] > 0)) process.exitCode = 1;
}

function countsIn(text) {
  try {
    return JSON.parse(text).metadata?.vulnerabilities ?? null;
  } catch {
    return null;
  }
}
