import { createInterface } from 'node:readline';
import type { ChatReply, ReplyWaits, Tallyhand } from '@tallyhand/client';
import type { Command } from 'commander';
import type { Cli } from './kit/cli.ts';
import { failureOf, Interrupted, usageError } from './kit/failures.ts';
import { namedAgent } from './kit/named.ts';
import { examples } from './kit/options.ts';
import { printable, type Terminal } from './kit/terminal.ts';

type ChatOptions = { readonly conversation?: string };

export function chatCommand(program: Command, cli: Cli): void {
  program
    .command('chat')
    .description('talk with an agent; chat costs no credits')
    .argument('<agent>', 'its name or id')
    .argument('[message]', 'one message; without it, each line that you type is one')
    .option('--conversation <id>', 'continue this conversation')
    .action((agent: string, message: string | undefined, options: ChatOptions) =>
      chat(cli, agent, message, options),
    )
    .addHelpText(
      'after',
      `\nCtrl-C stops a reply, and ends the chat when none is being written. So does Ctrl-D.
${examples('chat Support', 'chat Support "How long can items be returned?"')}`,
    );
}

async function chat(cli: Cli, wanted: string, message: string | undefined, options: ChatOptions) {
  const client = await cli.client();
  const { id } = await namedAgent(client, wanted);
  const talk = new Talk(cli, client, id, options.conversation);
  if (message === undefined) return await talk.read();
  if (message.trim() === '') throw usageError('The message is empty.');
  await talk.say(message);
  if (!options.conversation)
    cli.terminal.note(`Continue with: --conversation ${talk.conversationId}`);
}

/** A conversation: the replies are printed while they are written. */
export class Talk {
  conversationId: string | undefined;
  readonly #cli: Cli;
  readonly #client: Tallyhand;
  readonly #agentId: string;

  constructor(cli: Cli, client: Tallyhand, agentId: string, conversationId: string | undefined) {
    this.#cli = cli;
    this.#client = client;
    this.#agentId = agentId;
    this.conversationId = conversationId;
  }

  async say(message: string): Promise<void> {
    const { terminal } = this.#cli;
    await this.#cli.untilInterrupted(async (signal) => {
      try {
        const body = { message, conversationId: this.conversationId };
        const stream = this.#client.agents.chatStream(this.#agentId, body, { signal });
        for await (const { event, data } of stream) {
          if (event === 'started') this.conversationId = data.conversationId;
          if (event === 'text' && !terminal.isJson) terminal.write(printable(data.piece));
          if (event === 'reply') this.#end(terminal, data);
        }
      } catch (error) {
        if (error instanceof Interrupted) await this.#stop(terminal);
        throw error;
      }
    });
  }

  #end(terminal: Terminal, reply: ChatReply | ReplyWaits) {
    this.conversationId = reply.conversationId;
    if (terminal.isJson) terminal.line(reply, () => '');
    if ('approvalId' in reply) {
      terminal.note('A tool call needs approval. The reply is written after the decision.');
      return;
    }
    const { sources } = reply;
    if (!terminal.isJson) terminal.write('\n');
    const titles = [...new Set(sources.map(({ articleTitle }) => articleTitle))];
    if (titles.length === 0) return;
    const text = `Sources: ${printable(titles.join(', '))}`;
    terminal.note(terminal.paint('dim', text, terminal.streams.stderr));
  }

  async #stop(terminal: Terminal) {
    terminal.note('\nStopped.');
    if (this.conversationId === undefined) return;
    // The reply may have ended meanwhile.
    await this.#client.conversations.stop(this.conversationId).catch(() => {});
  }

  /** Each line is a message, until the input ends. */
  async read(): Promise<void> {
    const { terminal } = this.#cli;
    const { stdin, stderr } = terminal.streams;
    const { isInteractive } = terminal;
    if (isInteractive) terminal.note('Type a message. Ctrl-D ends the chat.');
    const reader = createInterface({ input: stdin, output: stderr, terminal: isInteractive });
    reader.setPrompt(isInteractive ? '> ' : '');
    let isWriting = false;
    // The input may end while a reply is written; lines that were read before still follow.
    let isEnded = false;
    reader.on('close', () => {
      isEnded = true;
    });
    // While a line is typed, Ctrl-C arrives here and not as a signal.
    reader.on('SIGINT', () => {
      if (isWriting) process.emit('SIGINT');
      else reader.close();
    });
    reader.prompt();
    for await (const line of reader) {
      if (line.trim() !== '') {
        isWriting = true;
        await this.say(line).catch((error: unknown) => this.#goOn(error, isInteractive));
        isWriting = false;
      }
      if (!isEnded) reader.prompt();
    }
    if (isInteractive) terminal.note('');
  }

  /** One refused message does not end a chat with a person. */
  #goOn(error: unknown, isInteractive: boolean) {
    if (!isInteractive) throw error;
    const { message } = failureOf(error);
    if (message) this.#cli.terminal.note(message);
  }
}
