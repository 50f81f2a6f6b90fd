import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionStep, Tallyhand } from '@tallyhand/client';
import { type Command, Option } from 'commander';
import type { Cli } from './kit/cli.ts';
import { CommandError, EXIT, Interrupted } from './kit/failures.ts';
import { allOf, namedAgent } from './kit/named.ts';
import { examples, group, LIST_LIMIT, LIST_LIMIT_MAX, wholeNumber } from './kit/options.ts';
import { oneLine, plural, type Terminal } from './kit/terminal.ts';

const STATUSES = ['queued', 'running', 'completed', 'failed', 'terminated'] as const;
const PAGE = 200;
const STEPS_MAX = 50;
const POLL_MS = 1_000;

type ListOptions = {
  readonly agent?: string;
  readonly status?: (typeof STATUSES)[number];
  readonly limit: number;
};
type StartOptions = {
  readonly context?: string;
  readonly maxSteps?: number;
  readonly watch?: true;
};

export function sessionCommands(program: Command, cli: Cli): void {
  const sessions = group(
    program,
    'sessions',
    'autonomous sessions: an agent pursues a goal in a browser',
  );
  sessions
    .command('list', { isDefault: true })
    .description('list sessions, the newest first')
    .option('--agent <agent>', 'of this agent: its name or id')
    .addOption(new Option('--status <status>', 'with this status').choices(STATUSES))
    .option('--limit <count>', 'at most so many', wholeNumber(1, LIST_LIMIT_MAX), LIST_LIMIT)
    .action((options: ListOptions) => list(cli, options))
    .addHelpText('after', examples('sessions', 'sessions --status running'));
  sessions
    .command('start')
    .description('let an agent pursue a goal; each successful step costs one credit')
    .argument('<agent>', 'its name or id')
    .argument('<goal>', 'what to reach')
    .option('--context <text>', 'what the agent should know')
    .option('--max-steps <count>', 'at most so many steps', wholeNumber(1, STEPS_MAX))
    .option('--watch', 'print its steps until it has ended')
    .action((agent: string, goal: string, options: StartOptions) =>
      start(cli, agent, goal, options),
    )
    .addHelpText(
      'after',
      examples('sessions start Scout "Find the opening hours" --max-steps 5 --watch'),
    );
  sessions
    .command('watch')
    .description('print the states and steps of a session until it has ended')
    .argument('<session>', 'its id')
    .action((id: string) => watch(cli, id))
    .addHelpText(
      'after',
      `\nCtrl-C stops watching; the session continues. With --json, each line is one JSON value.
${examples('sessions watch ID', 'sessions watch ID --json')}`,
    );
  sessions
    .command('terminate')
    .description('end a queued or running session')
    .argument('<session>', 'its id')
    .action((id: string) => terminate(cli, id))
    .addHelpText('after', examples('sessions terminate ID'));
}

async function list(cli: Cli, { agent, status, limit }: ListOptions) {
  const { terminal } = cli;
  const client = await cli.client();
  const agentId = agent === undefined ? undefined : (await namedAgent(client, agent)).id;
  const query = { agentId, status, limit: Math.min(limit, PAGE) };
  const found = await allOf(client.sessions.list(query), limit);
  terminal.answer(found, () =>
    terminal.table(
      ['CREATED', 'STATUS', 'STEPS', 'CREDITS', 'ID', 'GOAL'],
      found.map((one) => [
        one.createdAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' '),
        one.status,
        `${one.currentStep}/${one.maxSteps}`,
        `${one.totalCreditsUsed}`,
        one.id,
        one.originalGoal,
      ]),
    ),
  );
  if (found.length === 0) terminal.note('No matching sessions.');
}

async function start(cli: Cli, wanted: string, goal: string, options: StartOptions) {
  const { context, maxSteps } = options;
  const client = await cli.client();
  const { id: agentId } = await namedAgent(client, wanted);
  const session = await client.agents.sessions.start(agentId, { goal, context, maxSteps });
  if (options.watch) return await watch(cli, session.id);
  cli.terminal.answer(session, () => session.id);
  cli.terminal.note(`Watch it with: tallyhand sessions watch ${session.id}`);
}

async function terminate(cli: Cli, id: string) {
  const session = await (await cli.client()).sessions.terminate(id);
  cli.terminal.answer(session, () => `The session ${id} is ${session.status}.`);
}

async function watch(cli: Cli, id: string) {
  const { terminal } = cli;
  const client = await cli.client();
  const session = await cli
    .untilInterrupted((signal) => follow(client, terminal, id, signal))
    .catch((error: unknown) => {
      if (error instanceof Interrupted)
        terminal.note(`\nThe session continues. End it with: tallyhand sessions terminate ${id}`);
      throw error;
    });
  const { status, errorMessage, endReason, workspaceData, totalCreditsUsed } = session;
  const cost = plural(totalCreditsUsed, 'credit');
  terminal.note(terminal.paint('dim', `${status}, ${cost}`, terminal.streams.stderr));
  if (status !== 'completed') {
    throw new CommandError(
      EXIT.failed,
      errorMessage ?? `The session was ${status} (${endReason}).`,
    );
  }
  const summary = workspaceData.finalOutcome?.summary;
  if (summary && !terminal.isJson) terminal.write(`${oneLine(summary)}\n`);
}

/** Prints what is new until the session has ended. */
async function follow(client: Tallyhand, terminal: Terminal, id: string, signal: AbortSignal) {
  let last = '';
  let printed = 0;
  for (;;) {
    const { session, steps } = await client.sessions.retrieve(id, {}, { signal });
    const state = stateOf(session);
    if (state !== last) terminal.line({ session }, () => terminal.paint('bold', state));
    last = state;
    for (const step of steps.slice(printed))
      terminal.line({ step }, () => stepText(terminal, step));
    printed = steps.length;
    if (session.endedAt !== null) return session;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  }
}

function stateOf({ status, queuePosition, takenOverBy }: Session): string {
  if (status === 'queued') return `queued, ${queuePosition ?? 0} ahead`;
  return takenOverBy ? `${status}, ${takenOverBy.name ?? 'a member'} has taken over` : status;
}

function stepText(terminal: Terminal, step: SessionStep): string {
  const { stepNumber, action, metadata, success, interrupted, output } = step;
  const mark = success
    ? terminal.paint('green', '✓')
    : interrupted
      ? '…'
      : terminal.paint('red', '✗');
  const place = metadata.url ? terminal.paint('dim', ` ${oneLine(metadata.url)}`) : '';
  const why = success ? '' : `: ${oneLine(output)}`;
  return `${mark} ${stepNumber}. ${oneLine(action)}${why}${place}`;
}
