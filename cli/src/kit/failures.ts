import { ApiError, ConnectionError, TallyhandError, TimeoutError } from '@tallyhand/client';

/** What the program ends with; docs/command-line.md lists them for scripts. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  refused: 4,
  unreachable: 5,
  /** 128 and the number of SIGINT, as shells have it. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure with a message for the user. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string) => new CommandError(EXIT.usage, message);

/** Ctrl-C. Nothing more is printed: the command said what became of its work. */
export class Interrupted extends CommandError {
  constructor() {
    super(EXIT.interrupted, '');
  }
}

export type Failure = { readonly exitCode: ExitCode; readonly message: string };

const UNAUTHORIZED = 401;
const REQUEST_TIMEOUT = 408;
const TOO_MANY = 429;
const SERVER_ERRORS = 500;

/** The exit code and the message of an error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) return { exitCode: codeOf(error), message: sentencesOf(error) };
  if (error instanceof TallyhandError) {
    return { exitCode: EXIT.unreachable, message: unreachable(error) };
  }
  return { exitCode: EXIT.failed, message: fileFault(error) };
}

function codeOf({ status }: ApiError): ExitCode {
  if (status === UNAUTHORIZED) return EXIT.notSignedIn;
  const isPassing = status === REQUEST_TIMEOUT || status === TOO_MANY || status >= SERVER_ERRORS;
  return isPassing ? EXIT.unreachable : EXIT.refused;
}

function sentencesOf(error: ApiError): string {
  const { status, code, detail, errors, requestId } = error;
  if (status === UNAUTHORIZED) {
    return 'Tallyhand does not accept this API key. It was revoked, has expired, or is mistyped. Run: tallyhand login';
  }
  const first = detail ?? `The server answered ${status}${code ? ` (${code})` : ''}.`;
  const fields = errors
    .filter(({ message }) => message !== detail)
    .map(({ path, message }) => `  ${path}: ${message}`);
  const trace = status >= SERVER_ERRORS && requestId ? [`Request id: ${requestId}`] : [];
  return [first, ...fields, ...trace].join('\n');
}

function unreachable(error: TallyhandError): string {
  const message = withoutCall(error);
  if (error instanceof TimeoutError) return `Tallyhand did not answer in time. ${message}.`;
  if (!(error instanceof ConnectionError)) return message;
  const { cause } = error as { cause?: { cause?: { code?: unknown }; code?: unknown } };
  const code = cause?.cause?.code ?? cause?.code;
  return `${message}${typeof code === 'string' ? ` (${code})` : ''}. Check the address and your network.`;
}

/** The library names the call first: `tasks.list: no answer`. */
function withoutCall({ message }: Error): string {
  const rest = message.replace(/^[a-z][\w.]*: /i, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder',
  EACCES: 'You may not read or write this',
  EPERM: 'You may not read or write this',
  EISDIR: 'This is a folder, not a file',
  ENOTDIR: 'This is a file, not a folder',
  ENOSPC: 'The disk is full',
  EEXIST: 'This exists already',
};

function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', path } = error as NodeJS.ErrnoException;
  const fault = FILE_FAULTS[code];
  return fault && path ? `${fault}: ${path}` : error.message;
}
