import { Command, CommanderError } from 'commander';
import { agentCommands } from './agents.ts';
import { asCodeCommands } from './as-code/program.ts';
import { auditCommands } from './audit.ts';
import { chatCommand } from './chat.ts';
import { completionCommands } from './completion.ts';
import type { Cli } from './kit/cli.ts';
import { EXIT, type ExitCode, failureOf } from './kit/failures.ts';
import { knowledgeCommands } from './knowledge/program.ts';
import { ledgerCommands } from './ledger.ts';
import { runCommand } from './run.ts';
import { sessionCommands } from './sessions.ts';
import { signInCommands } from './sign-in.ts';
import { taskCommands } from './tasks.ts';

const EXIT_CODES = `Exit codes:
  0    done
  1    failed: a task or a part of the work did not succeed
  2    wrong usage: an option, a file or an answer
  3    not signed in, or the API key is not accepted
  4    refused: unknown name, role, credits, a rule of a field
  5    Tallyhand cannot be reached, or is too busy
  130  ended with Ctrl-C`;

export function programOf(cli: Cli, version: string): Command {
  const program = new Command('tallyhand')
    .description('Agents, tasks and knowledge of Tallyhand from the command line.')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print JSON on stdout; messages stay on stderr')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .helpCommand(false)
    .showHelpAfterError('(add --help for help)')
    .exitOverride()
    .addHelpText('after', `\n${EXIT_CODES}`)
    .hook('preAction', (_, command) => {
      cli.terminal.isJson = command.optsWithGlobals().json === true;
    });
  program.configureOutput({
    writeOut: (text) => cli.terminal.write(text),
    writeErr: (text) => void cli.terminal.streams.stderr.write(text),
  });
  for (const add of [
    signInCommands,
    agentCommands,
    runCommand,
    chatCommand,
    taskCommands,
    knowledgeCommands,
    sessionCommands,
    ledgerCommands,
    auditCommands,
    asCodeCommands,
    completionCommands,
  ]) {
    add(program, cli);
  }
  return program;
}

/** Runs one command line, and returns the code to exit with. */
export async function runProgram(
  program: Command,
  cli: Cli,
  given: readonly string[],
): Promise<ExitCode> {
  try {
    if (given.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync([...given], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { exitCode, message } = failureOf(error);
    const { terminal } = cli;
    if (message)
      terminal.note(`${terminal.paint('red', 'Error:', terminal.streams.stderr)} ${message}`);
    return exitCode;
  }
}
