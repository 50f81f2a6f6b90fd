import {
  ConnectionError,
  type ExecutionResult,
  type Tallyhand,
  TimeoutError,
} from '@tallyhand/client';
import { stepSection } from '@tallyhand/contracts/features/tasks/task-progress';
import type { Cli } from './kit/cli.ts';
import { CommandError, EXIT, Interrupted } from './kit/failures.ts';
import { oneLine, plural, printable, type Terminal } from './kit/terminal.ts';

/** A restart of Tallyhand, or a short loss of the network, does not end a command. */
const RETRIES = 8;

/** The events of a task. */
type TaskEvents = ReturnType<Tallyhand['tasks']['events']['stream']>;
type TaskEvent = TaskEvents extends AsyncIterable<infer E> ? E : never;

/**
 * Follows the task that `begin` gives the id of. Prints its answer as it arrives; with `--json`, the
 * ended task.
 */
export async function followTask(cli: Cli, begin: () => Promise<string>): Promise<void> {
  const { terminal } = cli;
  const answer = new PrintedAnswer(terminal);
  const reply = await follow(cli, begin, (event) => answer.print(event));
  const client = await cli.client();
  if (terminal.isJson) terminal.answer(await client.tasks.retrieve(reply.taskId), () => '');
  conclude(terminal, reply);
}

/** The same of a task that was begun before; with `--json`, each event is a line. */
export async function watchTask(cli: Cli, id: string): Promise<void> {
  const { terminal } = cli;
  const answer = new PrintedAnswer(terminal);
  const reply = await follow(
    cli,
    async () => id,
    (event) => (terminal.isJson ? terminal.line(event, () => '') : answer.print(event)),
  );
  conclude(terminal, reply);
}

/** Ctrl-C, or a connection that stays lost, ends the command; the task continues. */
function follow(cli: Cli, begin: () => Promise<string>, print: (event: TaskEvent) => void) {
  const { terminal } = cli;
  return cli.untilInterrupted(async (signal) => {
    const client = await cli.client();
    // Ctrl-C does not end this call: without the id, the task could not be joined.
    const taskId = await begin();
    terminal.note(terminal.paint('dim', `Task ${taskId}`, terminal.streams.stderr));
    try {
      signal.throwIfAborted();
      for await (const event of client.tasks.events.stream(taskId, { signal, retries: RETRIES })) {
        print(event);
        if (event.event === 'reply') return event.data;
      }
      throw new ConnectionError('The stream ended without an answer');
    } catch (error) {
      const isLost = error instanceof ConnectionError || error instanceof TimeoutError;
      if (error instanceof Interrupted || isLost) {
        terminal.note(
          `\nThe task continues. Follow it with: tallyhand tasks watch ${taskId}\nCancel it with: tallyhand tasks cancel ${taskId}`,
        );
      }
      throw error;
    }
  });
}

/** The answer of a task, whose steps are printed when they are done. */
class PrintedAnswer {
  readonly #terminal: Terminal;
  #steps = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  print({ event, data }: TaskEvent): void {
    const terminal = this.#terminal;
    if (event === 'toolCall') {
      const outcome = data.success ? 'done' : 'failed';
      const text = `Tool ${oneLine(data.toolName)}: ${outcome}`;
      terminal.note(terminal.paint('dim', text, terminal.streams.stderr));
    }
    if (terminal.isJson) return;
    if (event === 'step') this.#write(stepSection(data));
    // The answer of a playbook is made of its steps.
    if (event === 'reply' && data.success && this.#steps === 0) this.#write(data.output ?? '');
  }

  #write(text: string) {
    const gap = this.#steps > 0 ? '\n' : '';
    this.#steps += 1;
    this.#terminal.write(`${gap}${printable(text).trimEnd()}\n`);
  }
}

/** What the answer is based on and what it cost; a task that did not succeed is a failure. */
function conclude(terminal: Terminal, { success, error, sources, creditCost }: ExecutionResult) {
  if (!success) throw new CommandError(EXIT.failed, error ?? 'The task has failed.');
  const titles = [...new Set(sources.map(({ articleTitle }) => articleTitle))];
  const from = titles.length > 0 ? [`Sources: ${printable(titles.join(', '))}`] : [];
  const text = [...from, plural(creditCost, 'credit')].join(' · ');
  terminal.note(terminal.paint('dim', text, terminal.streams.stderr));
}
