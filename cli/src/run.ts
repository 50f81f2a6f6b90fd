import type { Tallyhand } from '@tallyhand/client';
import type { Command } from 'commander';
import { Option } from 'commander';
import { followTask } from './follow.ts';
import type { Cli } from './kit/cli.ts';
import { usageError } from './kit/failures.ts';
import { namedAgent, namedPlaybook, namedTool } from './kit/named.ts';
import { examples } from './kit/options.ts';
import { readStdin } from './kit/prompt.ts';
import type { Terminal } from './kit/terminal.ts';

export const TASK_TYPES = ['query', 'tool_run', 'playbook'] as const;

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
    .description('execute a task with an agent, and print its answer as it arrives')
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
      `\nA task costs one credit if it succeeds. Ctrl-C stops following it; the task continues. A lost
connection is opened again. With --json, the ended task is printed as one JSON value.
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
  terminal.note(`Follow it with: tallyhand tasks watch ${taskId}`);
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
