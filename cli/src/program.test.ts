import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { Cli } from './kit/cli.ts';
import { Terminal } from './kit/terminal.ts';
import { programOf } from './program.ts';

const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
const streams = { stdin, stdout, stderr };
const program = programOf(new Cli(new Terminal(streams, {}), {}), '1.0.0');

/** The commands that are shown and are no groups of others. */
const leavesOf = (command: Command): Command[] =>
  command.commands.length > 0
    ? command.createHelp().visibleCommands(command).flatMap(leavesOf)
    : [command];

const leaves = leavesOf(program);

it('has many commands', () => expect(leaves.length).toBeGreaterThan(15));

it.each(leaves.map((command) => [pathOf(command), command] as const))(
  'has help with an example: %s',
  (_, command) => {
    command.outputHelp();
    expect(String(stdout.read())).toContain('\n  $ tallyhand ');
  },
);

function pathOf(command: Command): string {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}
