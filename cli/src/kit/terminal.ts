import type { Readable, Writable } from 'node:stream';
import type { Environment } from './env.ts';

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export type Streams = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
};

/** How much of a long work is done. */
export type Progress = { show(done: number, label: string): void; end(): void };

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof STYLES;

const GAP = '  ';
const COLUMNS = 80;
const BAR_LENGTH = 24;

const CONTROL = /(?![\t\n])\p{Cc}/gu;
/** Texts of others could move the cursor or change the title of the window. */
export const printable = (text: string) => text.replace(CONTROL, '');

export const oneLine = (text: string) => printable(text.replace(/\s+/g, ' ')).trim();

export const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Answers go to stdout, messages and progress to stderr. With `--json`, stdout has JSON alone. */
export class Terminal {
  readonly streams: Streams;
  readonly #environment: Environment;
  #isJson = false;

  constructor(streams: Streams, environment: Environment) {
    this.streams = streams;
    this.#environment = environment;
  }

  set isJson(isJson: boolean) {
    this.#isJson = isJson;
  }

  get isJson(): boolean {
    return this.#isJson;
  }

  /** Whether a person sits there: questions can be asked. */
  get isInteractive(): boolean {
    return Boolean(this.streams.stdin.isTTY && this.streams.stderr.isTTY);
  }

  /** Prints the value as JSON, or the text that `human` makes of it. */
  answer(value: unknown, human: () => string): void {
    if (this.#isJson) this.write(`${JSON.stringify(value, null, 2)}\n`);
    else {
      const text = human();
      if (text !== '') this.write(`${text}\n`);
    }
  }

  /** One of several JSON values, each on a line of its own. */
  line(value: unknown, human: () => string): void {
    this.write(`${this.#isJson ? JSON.stringify(value) : human()}\n`);
  }

  write(text: string): void {
    this.streams.stdout.write(text);
  }

  note(text: string): void {
    this.streams.stderr.write(`${text}\n`);
  }

  paint(style: Style, text: string, stream: Stream = this.streams.stdout): string {
    if (!this.#hasColors(stream)) return text;
    return `\u001b[${STYLES[style]}m${text}\u001b[0m`;
  }

  #hasColors({ isTTY }: Stream): boolean {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.#environment;
    if (NO_COLOR) return false;
    return FORCE_COLOR ? FORCE_COLOR !== '0' : isTTY === true && TERM !== 'dumb';
  }

  /** Rows under headings. On a terminal the last column is cut to its width. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return '';
    const cells = [headings, ...rows].map((row) => row.map(oneLine));
    const widths = headings.map((_, index) =>
      Math.max(...cells.map((row) => lengthOf(row[index]))),
    );
    const { isTTY, columns = COLUMNS } = this.streams.stdout;
    const lines = cells.map((row) => {
      const padded = row.map((cell, index) => {
        const isLast = index === row.length - 1;
        return isLast ? cell : cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell));
      });
      const line = padded.join(GAP).trimEnd();
      return isTTY && lengthOf(line) > columns
        ? `${[...line].slice(0, columns - 1).join('')}…`
        : line;
    });
    const [head = '', ...rest] = lines;
    return [this.paint('bold', head), ...rest].join('\n');
  }

  /** Names with their values, one below the other. */
  fields(rows: readonly (readonly [string, string])[]): string {
    const width = Math.max(...rows.map(([name]) => name.length));
    const indent = `\n${' '.repeat(width)}${GAP}`;
    return rows
      .map(([name, value]) => {
        const label = this.paint('dim', name.padEnd(width));
        return `${label}${GAP}${printable(value).trimEnd().replaceAll('\n', indent)}`.trimEnd();
      })
      .join('\n');
  }

  /** A bar on a terminal, and nothing elsewhere. */
  progress(total: number): Progress {
    const { stderr } = this.streams;
    if (!stderr.isTTY) return { show() {}, end() {} };
    const show = (done: number, label: string) => {
      const filled = total === 0 ? BAR_LENGTH : Math.round((done / total) * BAR_LENGTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
      const line = `${bar} ${done}/${total} ${oneLine(label)}`;
      stderr.write(`\r\u001b[K${[...line].slice(0, (stderr.columns ?? COLUMNS) - 1).join('')}`);
    };
    return { show, end: () => void stderr.write('\r\u001b[K') };
  }
}

const lengthOf = (text = '') => [...text].length;
