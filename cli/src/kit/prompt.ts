import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError, EXIT, Interrupted, usageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

const STDIN_BYTES_MAX = 4 * 1024 * 1024;

/** What is written to the standard input, to its end. */
export async function readStdin({ streams }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streams.stdin) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > STDIN_BYTES_MAX) throw usageError('The input has more than 4 MB.');
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Asks on stderr, so that stdout has the answer of the command alone. */
export async function ask(terminal: Terminal, question: string, isHidden = false): Promise<string> {
  const { stdin, stderr } = terminal.streams;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? silent : stderr;
  const reader = createInterface({ input: stdin, output, terminal: Boolean(stdin.isTTY) });
  const left = new AbortController();
  reader.on('SIGINT', () => left.abort());
  reader.on('close', () => left.abort());
  if (isHidden) stderr.write(question);
  try {
    return (await reader.question(isHidden ? '' : question, { signal: left.signal })).trim();
  } catch {
    throw new Interrupted();
  } finally {
    reader.close();
    if (isHidden) stderr.write('\n');
  }
}

/** A yes or no before something is lost. `--yes` answers it; a script must. */
export async function confirm(terminal: Terminal, question: string, isYes: boolean): Promise<void> {
  if (isYes) return;
  if (!terminal.isInteractive) throw usageError(`${question} Answer with --yes.`);
  const answer = await ask(terminal, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw new CommandError(EXIT.failed, 'Nothing was changed.');
}
