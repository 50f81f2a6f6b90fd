#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' };
import { Cli } from './kit/cli.ts';
import { readEnvironment } from './kit/env.ts';
import { Terminal } from './kit/terminal.ts';
import { programOf, runProgram } from './program.ts';

/* The program `tallyhand`. */

// The reader of a pipe has seen enough: `tallyhand tasks | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const environment = readEnvironment();
const cli = new Cli(new Terminal(process, environment), environment);
process.exitCode = await runProgram(programOf(cli, manifest.version), cli, process.argv.slice(2));
