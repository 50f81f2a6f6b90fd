import type { Tallyhand, Task } from '@tallyhand/client';
import { type Command, Option } from 'commander';
import { followTask, watchTask } from './follow.ts';
import type { Cli } from './kit/cli.ts';
import { allOf, namedAgent } from './kit/named.ts';
import { examples, group, LIST_LIMIT, LIST_LIMIT_MAX, wholeNumber } from './kit/options.ts';
import { saveResponse } from './kit/save.ts';
import { plural } from './kit/terminal.ts';
import { TASK_TYPES } from './run.ts';

const STATUSES = ['queued', 'running', 'waiting', 'success', 'failed', 'cancelled'] as const;
const PAGE = 200;

type Filter = {
  readonly agent?: string;
  readonly status?: (typeof STATUSES)[number];
  readonly type?: (typeof TASK_TYPES)[number];
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
};
type ListOptions = Filter & { readonly limit: number; readonly order?: 'newest' | 'oldest' };
type ExportOptions = Filter & { readonly format: 'csv' | 'json'; readonly output?: string };

export function taskCommands(program: Command, cli: Cli): void {
  const tasks = group(program, 'tasks', 'list, show, watch, cancel and retry tasks');
  filtered(tasks.command('list', { isDefault: true }))
    .description('list tasks, the newest first')
    .option('--limit <count>', 'at most so many', wholeNumber(1, LIST_LIMIT_MAX), LIST_LIMIT)
    .addOption(new Option('--order <order>', 'which come first').choices(['newest', 'oldest']))
    .action((options: ListOptions) => list(cli, options))
    .addHelpText(
      'after',
      examples('tasks', 'tasks --agent Support --status failed --from 2026-11-01', 'tasks --json'),
    );
  tasks
    .command('show')
    .description('show a task with its answer, steps and charge')
    .argument('<task>', 'its id')
    .action((task: string) => show(cli, task))
    .addHelpText('after', examples('tasks show ID'));
  tasks
    .command('watch')
    .description('follow a task, and print its answer as it arrives')
    .argument('<task>', 'its id')
    .action((task: string) => watchTask(cli, task))
    .addHelpText(
      'after',
      `\nCtrl-C stops following; the task continues. With --json, each line is one event.
${examples('tasks watch ID', 'tasks watch ID --json')}`,
    );
  tasks
    .command('cancel')
    .description('cancel a task that has not ended')
    .argument('<task>', 'its id')
    .action((task: string) => cancel(cli, task))
    .addHelpText('after', examples('tasks cancel ID'));
  tasks
    .command('retry')
    .description('run a failed or cancelled task again, as a new task')
    .argument('<task>', 'its id')
    .action((task: string) => retry(cli, task))
    .addHelpText('after', examples('tasks retry ID'));
  filtered(tasks.command('export'))
    .description('export tasks with their whole texts, the oldest first')
    .addOption(
      new Option('--format <format>', 'of the file').choices(['csv', 'json']).default('csv'),
    )
    .option('-o, --output <file>', 'write to this file and not to stdout')
    .action((options: ExportOptions) => exportAll(cli, options))
    .addHelpText('after', examples('tasks export --from 2026-11-01 --output tasks.csv'));
}

const filtered = (command: Command): Command =>
  command
    .option('--agent <agent>', 'of this agent: its name or id')
    .addOption(new Option('--status <status>', 'with this status').choices(STATUSES))
    .addOption(new Option('--type <type>', 'of this type').choices(TASK_TYPES))
    .option('--from <day>', 'from this day or moment on (UTC)')
    .option('--to <day>', 'until this day, included, or moment (UTC)')
    .option('--search <text>', 'with this text in input or output');

async function queryOf(client: Tallyhand, { agent, status, type, from, to, search }: Filter) {
  const agentId = agent === undefined ? undefined : (await namedAgent(client, agent)).id;
  return { agentId, status, type, from, to, q: search };
}

async function list(cli: Cli, { limit, order, ...filter }: ListOptions) {
  const { terminal } = cli;
  const client = await cli.client();
  const query = { ...(await queryOf(client, filter)), order, limit: Math.min(limit, PAGE) };
  const found = await allOf(client.tasks.list(query), limit);
  terminal.answer(found, () =>
    terminal.table(['CREATED', 'STATUS', 'CREDITS', 'ID', 'INPUT'], found.map(rowOf)),
  );
  if (found.length === 0) terminal.note('No task matches.');
  if (found.length === limit) terminal.note(`The first ${limit}. More with --limit.`);
}

const rowOf = ({ createdAt, status, creditCost, id, input }: Task) => [
  createdAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' '),
  status,
  `${creditCost}`,
  id,
  input,
];

async function show(cli: Cli, id: string) {
  const { terminal } = cli;
  const task = await (await cli.client()).tasks.retrieve(id);
  const { charge } = task;
  const asked = task.status === 'waiting' ? task.approvals.at(-1) : undefined;
  terminal.answer(task, () =>
    terminal.fields([
      ['id', task.id],
      ['status', task.status],
      [
        'waits for',
        asked ? `approval of ${asked.toolName} ${asked.operation} ${asked.arguments}` : '',
      ],
      ['agent', task.agentName ?? task.agentId],
      ['created', task.createdAt],
      ['model', task.model ?? ''],
      ['input', task.input],
      ...task.steps.map((step) => [`step ${step.ordinal}`, step.output] as const),
      ['output', task.output ?? ''],
      ['error', task.errorMessage ?? ''],
      ['sources', task.sources.map(({ articleTitle }) => articleTitle).join(', ')],
      [
        'charge',
        charge ? `${plural(charge.amount, 'credit')}, ledger entry ${charge.sequence}` : '',
      ],
    ]),
  );
}

async function cancel(cli: Cli, id: string) {
  const answer = await (await cli.client()).tasks.cancel(id);
  cli.terminal.answer(answer, () => `Cancelled the task ${id}. It costs nothing.`);
}

async function retry(cli: Cli, id: string) {
  const client = await cli.client();
  await followTask(cli, async () => (await client.tasks.retry(id, { wait: false })).taskId);
}

async function exportAll(cli: Cli, { format, output, ...filter }: ExportOptions) {
  const client = await cli.client();
  const response = await client.tasks.export({ ...(await queryOf(client, filter)), format });
  await saveResponse(cli.terminal, response, output);
}
