import type { Tallyhand, TaskDetail } from '@tallyhand/client';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Cli } from './kit/cli.ts';
import { CommandError, EXIT, Interrupted, usageError } from './kit/failures.ts';
import { namedAgent, namedPlaybook, namedTool } from './kit/named.ts';
import { examples } from './kit/options.ts';
import { readStdin } from './kit/prompt.ts';
import { plural, printable, type Terminal } from './kit/terminal.ts';

export const TASK_TYPES = ['query', 'tool_run', 'playbook'] as const;
const DAY_MS = 86_400_000;

type RunOptions = {
  readonly type?: (typeof TASK_TYPES)[number];
  readonly playbook?: string;
  readonly tool?: string;
  readonly wait: boolean;
  readonly idempotencyKey?: string;
};

export function runCommand(program: Command, cli: Cli): void {
  program
    .command('run')
    .description('execute a task with an agent, and print its answer')
    .argument('<agent>', 'its name or id')
    .argument('[input]', 'what to do; - or nothing reads the standard input')
    .addOption(
      new Option(
        '--type <type>',
        'the kind of task; by default what the other options need',
      ).choices(TASK_TYPES),
    )
    .option('--playbook <playbook>', 'follow this playbook: its title or id')
    .option('--tool <tool>', 'use this tool: its name or id')
    .option('--no-wait', 'print the id of the task, and do not wait for its answer')
    .option('--idempotency-key <key>', 'with the same key, the task runs and is charged once')
    .action((agent: string, input: string | undefined, options: RunOptions) =>
      run(cli, agent, input, options),
    )
    .addHelpText(
      'after',
      `\nA task costs one credit if it succeeds. Ctrl-C cancels it.
${examples(
  'run Support "How long can items be returned?"',
  'run Support --playbook "Refund a customer" "Order 4711"',
  'run Support - < question.txt',
)}`,
    );
}

async function run(cli: Cli, wanted: string, given: string | undefined, options: RunOptions) {
  const { terminal } = cli;
  const input = await inputOf(terminal, given);
  const client = await cli.client();
  const agent = await namedAgent(client, wanted);
  const body = { input, ...(await kindOf(client, options)) };
  const { idempotencyKey } = options;
  const begin = async () => {
    const asked = { wait: false, idempotencyKey } as const;
    return (await client.agents.execute(agent.id, body, asked)).taskId;
  };
  if (options.wait) return await followTask(cli, begin);
  const taskId = await begin();
  terminal.answer({ taskId }, () => taskId);
  terminal.note(`Follow it with: tallyhand tasks show ${taskId} --wait`);
}

async function inputOf(terminal: Terminal, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === undefined && terminal.streams.stdin.isTTY) {
    throw usageError('Say what to do: tallyhand run AGENT "INPUT"');
  }
  const input = await readStdin(terminal);
  if (input.trim() === '') throw usageError('The standard input is empty.');
  return input;
}

async function kindOf(client: Tallyhand, { type, playbook, tool }: RunOptions) {
  if (playbook !== undefined && tool !== undefined) {
    throw usageError('A task follows a playbook or uses a tool: name one of them.');
  }
  if (playbook !== undefined) {
    return { type: 'playbook', playbookId: (await namedPlaybook(client, playbook)).id } as const;
  }
  if (tool !== undefined) {
    return { type: 'tool_run', toolId: (await namedTool(client, tool)).id } as const;
  }
  return { type: type ?? 'query' } as const;
}

/** Waits for the task that `begin` gives the id of, and prints its answer. Ctrl-C cancels it. */
export async function followTask(cli: Cli, begin: () => Promise<string>): Promise<void> {
  const client = await cli.client();
  const { terminal } = cli;
  const task = await cli.untilInterrupted(async (signal) => {
    // Ctrl-C does not end this call: without the id, the task could not be cancelled.
    const taskId = await begin();
    terminal.note(terminal.paint('dim', `Task ${taskId}`, terminal.streams.stderr));
    try {
      signal.throwIfAborted();
      return await client.tasks.wait(taskId, { signal, timeoutMs: DAY_MS });
    } catch (error) {
      if (error instanceof Interrupted) await cancelled(client, terminal, taskId);
      throw error;
    }
  });
  printTask(terminal, task);
}

async function cancelled(client: Tallyhand, terminal: Terminal, taskId: string) {
  try {
    await client.tasks.cancel(taskId);
    terminal.note(`\nCancelled the task ${taskId}. It costs nothing.`);
  } catch {
    terminal.note(`\nCouldn't cancel the task. See: tallyhand tasks show ${taskId}`);
  }
}

/** The answer of an ended task; a task that did not succeed is a failure. */
function printTask(terminal: Terminal, task: TaskDetail): void {
  const { status, output, errorMessage, sources, creditCost } = task;
  const { stderr } = terminal.streams;
  const isSuccess = status === 'success';
  terminal.answer(task, () => (isSuccess ? printable(output ?? '').trimEnd() : ''));
  if (!isSuccess) throw new CommandError(EXIT.failed, errorMessage ?? `The task was ${status}.`);
  const titles = [...new Set(sources.map(({ articleTitle }) => articleTitle))];
  const from = titles.length > 0 ? [`Sources: ${printable(titles.join(', '))}`] : [];
  terminal.note(terminal.paint('dim', [...from, plural(creditCost, 'credit')].join(' · '), stderr));
}
