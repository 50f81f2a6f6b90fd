import { Worker } from 'node:worker_threads';
import type { AppendRequest, AppendResult } from './events.ts';
import { DamagedStoreError } from './faults.ts';

const YOUNG_GENERATION_MB = 8;

/** The writer's thread seen from the server: one question at a time, each with one answer. */
export class WriterThread {
  readonly #dataDir: string;
  #worker: Worker | null = null;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /**
   * Rejects with DamagedStoreError or, for any other fault, with an Error; also when the thread
   * itself dies.
   */
  ask(question: ToWriter): Promise<Exclude<FromWriter, { kind: 'failed' }>> {
    const worker = this.#worker ?? this.#spawn();
    const { message, handedOver } = packed(question);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        act();
      };
      const onMessage = (answer: FromWriter) =>
        settle(() => (answer.kind === 'failed' ? reject(asError(answer)) : resolve(answer)));
      const onError = (error: Error) => settle(() => reject(error));
      const onExit = () => settle(() => reject(new Error('the writer thread ended')));
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(message, handedOver);
    });
  }

  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./writer.worker.ts', import.meta.url), {
      workerData: { dataDir: this.#dataDir },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    // Without a listener the death of the thread would end the process; `ask` reports it.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }
}

/**
 * The question with all its bytes in one buffer, to be handed over. A view that is copied to a
 * thread takes with it the whole buffer that it is in, such as all that a socket brought at once.
 */
function packed(question: ToWriter): { message: ToWriter; handedOver: ArrayBuffer[] } {
  if (question.kind !== 'append') return { message: question, handedOver: [] };
  const { requests } = question;
  const events = requests.flatMap((request) => request.events);
  const size = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  const buffer = new ArrayBuffer(size);
  let end = 0;
  const into = (bytes: Uint8Array) => {
    const view = new Uint8Array(buffer, end, bytes.length);
    view.set(bytes);
    end += bytes.length;
    return view;
  };
  const ready = requests.map((request) => ({
    ...request,
    events: request.events.map((event) => ({
      ...event,
      data: into(event.data),
      metadata: into(event.metadata),
    })),
  }));
  return { message: { kind: 'append', requests: ready }, handedOver: [buffer] };
}

function asError({ reason, isDamage, position }: Extract<FromWriter, { kind: 'failed' }>): Error {
  if (!isDamage) return new Error(reason);
  const prefix = /^damaged data(?: at position \d+)?: /;
  return new DamagedStoreError(reason.replace(prefix, ''), position);
}

export type ToWriter =
  | { kind: 'open' }
  | { kind: 'append'; requests: AppendRequest[] }
  | { kind: 'close' };

/** `position` is set when the fault is damage at a known place. */
export type FromWriter =
  | { kind: 'opened'; head: number }
  | { kind: 'appended'; results: AppendResult[]; head: number }
  | { kind: 'failed'; reason: string; isDamage: boolean; position: number | null }
  | { kind: 'closed' };
