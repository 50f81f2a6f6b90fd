import { Worker } from 'node:worker_threads';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { GuardedResponse, OutboundInit } from '../guard/guarded-fetch.ts';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { threadEnvironment } from '../thread-environment.ts';
import type { Place, RunInTurn, Turns } from '../turns.ts';
import { ImportRefused } from './import-refused.ts';
import {
  counted,
  type FromImportThread,
  type Imported,
  type ImportLimits,
  type ImportSource,
  importLimits,
  type ToImportThread,
} from './imported.ts';
import { isVagueType } from './kind.ts';

export type FileToImport = {
  organizationId: string;
  name: string;
  /** The declared media type; parameters are ignored. */
  type?: string;
  bytes: Uint8Array;
  limits?: Partial<ImportLimits>;
  signal?: AbortSignal;
};

export type PageToImport = {
  organizationId: string;
  url: string;
  /** Must refuse forbidden destinations. */
  fetch: PageFetch;
  limits?: Partial<ImportLimits>;
  signal?: AbortSignal;
};

export type ImportedPage = Imported & {
  /** Where the page was found, after redirects. */
  url: string;
};

/**
 * Each rejects with ImportRefused, or with the reason of an aborted signal. Those named `try` refuse
 * the work when the queue is full; the others are for callers that bound their work.
 */
export type Importer = AsyncDisposable & {
  importFile(file: FileToImport): Promise<Imported>;
  tryImportFile(file: FileToImport): Promise<Imported | Refusal>;
  importPage(page: PageToImport): Promise<ImportedPage>;
  tryImportPage(page: PageToImport): Promise<ImportedPage | Refusal>;
};

/**
 * Turns files and pages into Markdown, each in a separate thread when it is its organization's turn.
 * Disposing ends the threads and aborts waiting imports.
 */
export function startImporter(
  turns: Turns,
  { thread = new URL('./import.worker.ts', import.meta.url) }: { thread?: URL } = {},
): Importer {
  const end = new AbortController();
  const running = new Set<Promise<unknown>>();

  const signalOf = (outer: AbortSignal | undefined) =>
    outer ? AbortSignal.any([outer, end.signal]) : end.signal;

  async function read(source: ImportSource, limits: ImportLimits, signal: AbortSignal) {
    const reading = readInThread(thread, { source, limits }, signal);
    running.add(reading);
    try {
      return await reading;
    } finally {
      running.delete(reading);
    }
  }

  async function readFile<R>(
    run: RunInTurn<R>,
    { name, type = '', bytes, organizationId, ...file }: FileToImport,
  ) {
    const signal = signalOf(file.signal);
    const limits = { ...importLimits, ...file.limits };
    refuseTooLarge(bytes.byteLength, limits.bytesMax);
    const source = fileSource(name, type, bytes);
    return run(organizationId, () => read(source, limits, signal), { signal });
  }

  async function readPage<R>(
    run: RunInTurn<R>,
    { url, fetch, organizationId, ...page }: PageToImport,
  ) {
    const signal = signalOf(page.signal);
    const limits = { ...importLimits, ...page.limits };
    const work = async (place: Place) => {
      // While the other server answers, files may be read in this place.
      place.suspend();
      const source = await fetchSource(url, fetch, limits.bytesMax, signal);
      refuseTooLarge(source.bytes.byteLength, limits.bytesMax);
      await place.resume();
      return { ...(await read(source, limits, signal)), url: source.address };
    };
    return run(organizationId, work, { signal });
  }

  const run: RunInTurn<never> = (...work) => turns.run(...work);
  const tryRun: RunInTurn<Refusal> = (...work) => turns.tryRun(...work);
  return {
    importFile: (file) => readFile(run, file),
    tryImportFile: (file) => readFile(tryRun, file),
    importPage: (page) => readPage(run, page),
    tryImportPage: (page) => readPage(tryRun, page),
    async [Symbol.asyncDispose]() {
      end.abort(new Error('The importer has been stopped.'));
      await Promise.allSettled(running);
    },
  };
}

function fileSource(name: string, type: string, bytes: Uint8Array): ImportSource {
  const [mediaType = ''] = type.toLowerCase().split(';');
  const titleOtherwise = name.replace(/^.*[/\\]/s, '').replace(/(?<=.)\.[a-z][a-z0-9]{0,9}$/i, '');
  // A view would copy its whole buffer into the thread.
  const isView = bytes.byteLength < bytes.buffer.byteLength;
  const own = isView ? new Uint8Array(bytes) : bytes;
  return { bytes: own, name, type: mediaType.trim(), charset: '', address: '', titleOtherwise };
}

function refuseTooLarge(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  // Rounded up: slightly too much must not look like the maximum.
  const has = Math.ceil(bytes / 100_000) / 10;
  const sentence = `The file has ${has} MB; at most ${bytesMax / 1_000_000} MB are accepted.`;
  throw new ImportRefused('too-large', sentence);
}

const memoryCheckMs = 50;
const megabyte = 1024 * 1024;

/**
 * Reads one file in a thread, and always ends the thread. Rejects with ImportRefused: the thread's
 * reason, `timeout`, or `bomb` for too much memory; with the signal's reason when aborted; with any
 * other error for a bug.
 */
async function readInThread(
  thread: URL,
  task: ToImportThread,
  signal: AbortSignal,
): Promise<Imported> {
  signal.throwIfAborted();
  const { timeoutMsMax, memoryMbMax } = task.limits;
  const worker = new Worker(thread, {
    workerData: task,
    env: threadEnvironment(),
    stdin: false,
    stdout: true,
    stderr: true,
    // The second line of defense, after the check below: beyond this limit V8 ends the whole process.
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax * 2 },
  });
  // Unread output would pile up, and warnings of libraries are of no use.
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<Imported>();
  const abort = () => reject(signal.reason);
  const deadline = setTimeout(() => reject(tooSlow(timeoutMsMax)), timeoutMsMax);
  const memory = setInterval(() => {
    void memoryOf(worker).then((used) => {
      if (used > memoryMbMax * megabyte) reject(tooBig());
    });
  }, memoryCheckMs);
  signal.addEventListener('abort', abort, { once: true });
  worker.on('message', (message: FromImportThread) => {
    if (message.kind === 'imported') resolve(message.imported);
    else reject(new ImportRefused(message.code, message.sentence));
  });
  worker.on('error', (error) => reject(isOutOfMemory(error) ? tooBig() : error));
  worker.on('exit', () => reject(new Error('The import thread ended without an answer.')));
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    clearInterval(memory);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** V8's limits don't count buffers, into which libraries unpack files. */
async function memoryOf(worker: Worker): Promise<number> {
  try {
    const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics();
    return heap + buffers;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

function tooSlow(timeoutMsMax: number): ImportRefused {
  const seconds = counted(timeoutMsMax / 1000, 'second', 'seconds');
  return new ImportRefused('timeout', `Reading the file took longer than ${seconds}.`);
}

const tooBig = () => new ImportRefused('bomb', 'Reading the file needs too much memory.');

/** The guarded fetch with its policy filled in. */
export type PageFetch = (
  url: string,
  init: OutboundInit,
) => Promise<Pick<GuardedResponse, 'url' | 'status' | 'headers' | 'bytes' | 'discard'>>;

const accept =
  'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, ' +
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document;q=0.9, */*;q=0.1';

/**
 * Fetches a page or file. Throws ImportRefused: `fetch-failed`, `too-large`, `timeout`,
 * `unknown-kind` for a type that can't be read; or the reason of an aborted signal.
 */
async function fetchSource(
  url: string,
  fetch: PageFetch,
  bytesMax: number,
  signal: AbortSignal,
): Promise<ImportSource> {
  try {
    const response = await fetch(url, {
      headers: { accept },
      signal,
      limits: { bodyBytes: bytesMax },
    });
    const host = new URL(response.url).host;
    if (response.status < 200 || response.status > 299) {
      response.discard();
      throw new ImportRefused('fetch-failed', `${host} answered with status ${response.status}.`);
    }
    const described = describe(response.headers['content-type'] ?? '', response.url);
    return { ...described, bytes: await response.bytes() };
  } catch (error) {
    signal.throwIfAborted();
    throw refusalOf(error);
  }
}

/** The content type decides; the name in the address counts only where the type is vague. */
function describe(contentType: string, address: string): Omit<ImportSource, 'bytes'> {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? '';
  const { host, pathname } = new URL(address);
  const lastPart = decoded(pathname.split('/').findLast((part) => part !== '') ?? '');
  const isNamed =
    isVagueType(type) || (type === 'text/plain' && /\.(?:md|markdown)$/i.test(lastPart));
  const name = isNamed ? lastPart : '';
  const titleOtherwise = lastPart.replace(/(?<=.)\.[a-z][a-z0-9]{0,9}$/i, '') || host;
  return { name, type, charset, address, titleOtherwise };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof OutboundRefused) return new ImportRefused('fetch-failed', error.message);
  if (!(error instanceof OutboundFailed)) return error;
  const codes = { 'too-large': 'too-large', timeout: 'timeout' } as const;
  const known = error.kind === 'too-large' || error.kind === 'timeout' ? codes[error.kind] : null;
  return new ImportRefused(known ?? 'fetch-failed', error.message);
}
