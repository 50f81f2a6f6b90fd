import { spawn } from 'node:child_process';
import { environment, root } from './prepare.js';

/**
 * Runs a program of the project with this terminal and exits as it does. Signals that reach only
 * this process are passed on; Ctrl-C in a terminal reaches the program directly.
 *
 * @param {string} program
 * @param {string[]} args
 */
export function become(program, args) {
  const child = spawn(program, args, { cwd: root, env: environment(), stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    console.error(`${program} can't be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code) => process.exit(code ?? 1));
}
