import { ImportRefused } from './import-refused.ts';
import { readInThread } from './import-thread.ts';
import { type Imported, type ImportLimits, type ImportSource, importLimits } from './imported.ts';
import { fetchSource, type PageFetch } from './page-source.ts';

const threadsMax = 2;
const waitingMax = 50;
const fetchesMax = 20;

export type FileToImport = {
  name: string;
  /** The media type that came with the file; parameters don't matter. */
  type?: string;
  bytes: Uint8Array;
  limits?: Partial<ImportLimits>;
  signal?: AbortSignal;
};

export type PageToImport = {
  url: string;
  /** Must refuse what may not be reached. */
  fetch: PageFetch;
  limits?: Partial<ImportLimits>;
  signal?: AbortSignal;
};

export type ImportedPage = Imported & {
  /** Where the page was found, after redirects. */
  url: string;
};

/** Each rejects with ImportRefused, or with the reason of an aborted signal. */
export type Importer = AsyncDisposable & {
  importFile(file: FileToImport): Promise<Imported>;
  importPage(page: PageToImport): Promise<ImportedPage>;
};

/**
 * Turns files and pages into Markdown in threads of their own, two at once, in the order in which
 * they come. Disposing ends the threads, and what waits is aborted.
 */
export function startImporter({
  thread = new URL('./import.worker.ts', import.meta.url),
}: {
  thread?: URL;
} = {}): Importer {
  const end = new AbortController();
  const turn = turns();
  const running = new Set<Promise<unknown>>();
  let fetching = 0;

  const signalOf = (outer: AbortSignal | undefined) =>
    outer ? AbortSignal.any([outer, end.signal]) : end.signal;

  async function read(source: ImportSource, limits: ImportLimits, signal: AbortSignal) {
    refuseTooLarge(source.bytes.byteLength, limits.bytesMax);
    const leave = await turn(signal);
    const reading = readInThread(thread, { source, limits }, signal);
    running.add(reading);
    try {
      return await reading;
    } finally {
      running.delete(reading);
      leave();
    }
  }

  async function fetched({ url, fetch }: PageToImport, bytesMax: number, signal: AbortSignal) {
    if (fetching >= fetchesMax) throw busy();
    fetching += 1;
    try {
      return await fetchSource(url, fetch, bytesMax, signal);
    } finally {
      fetching -= 1;
    }
  }

  return {
    async importFile({ name, type = '', bytes, limits, signal }) {
      const source = fileSource(name, type, bytes);
      return read(source, { ...importLimits, ...limits }, signalOf(signal));
    },
    async importPage(page) {
      const limits = { ...importLimits, ...page.limits };
      const signal = signalOf(page.signal);
      const source = await fetched(page, limits.bytesMax, signal);
      return { ...(await read(source, limits, signal)), url: source.address };
    },
    async [Symbol.asyncDispose]() {
      end.abort(new Error('The importer has been stopped.'));
      await Promise.allSettled(running);
    },
  };
}

function fileSource(name: string, type: string, bytes: Uint8Array): ImportSource {
  const [mediaType = ''] = type.toLowerCase().split(';');
  const titleOtherwise = name.replace(/^.*[/\\]/s, '').replace(/(?<=.)\.[a-z][a-z0-9]{0,9}$/i, '');
  // A view into a larger buffer would take all of it along into the thread.
  const isView = bytes.byteLength < bytes.buffer.byteLength;
  const own = isView ? new Uint8Array(bytes) : bytes;
  return { bytes: own, name, type: mediaType.trim(), charset: '', address: '', titleOtherwise };
}

/** Gives out as many turns as there may be threads, in order; the result gives one back. */
function turns() {
  let free = threadsMax;
  const waiting = new Set<() => void>();
  const leave = () => {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };
  return async (signal: AbortSignal): Promise<() => void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return leave;
    }
    if (waiting.size >= waitingMax) throw busy();
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void) => () => {
        waiting.delete(start);
        signal.removeEventListener('abort', abort);
        end();
      };
      const start = settle(resolve);
      const abort = settle(() => reject(signal.reason));
      waiting.add(start);
      signal.addEventListener('abort', abort, { once: true });
    });
    return leave;
  };
}

function refuseTooLarge(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  // Rounded up, so that a little too much does not look like just enough.
  const has = Math.ceil(bytes / 100_000) / 10;
  const sentence = `The file has ${has} MB; at most ${bytesMax / 1_000_000} MB are accepted.`;
  throw new ImportRefused('too-large', sentence);
}

const busy = () =>
  new ImportRefused('busy', 'Too many imports are waiting; try again in a minute.');
