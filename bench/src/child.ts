import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const ANSWER_MS_MAX = 180_000;

/** A process of its own, which ends when the channel to it is closed. */
export type Child = Disposable & {
  /** Its next message; rejects when it ends without one. */
  told<T>(): Promise<T>;
  /** Sends a question, and gives the answer. */
  ask<T>(question: object): Promise<T>;
};

type Options = { readonly execArgv?: readonly string[]; readonly answerMsMax?: number };

/** Starts `file` with `settings` as its argument, as JSON. */
export function startChild(file: URL, settings: object, options: Options = {}): Child {
  const { execArgv = [], answerMsMax = ANSWER_MS_MAX } = options;
  const child = fork(file, [JSON.stringify(settings)], {
    execArgv: [...process.execArgv, ...execArgv],
  });
  return {
    told: <T>() => told<T>(child, answerMsMax),
    ask<T>(question: object) {
      child.send(question);
      return told<T>(child, answerMsMax);
    },
    [Symbol.dispose]() {
      if (child.connected) child.disconnect();
    },
  };
}

async function told<T>(child: ChildProcess, answerMsMax: number): Promise<T> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(answerMsMax)]);
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A process of the bench ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as T;
  } finally {
    stop.abort();
    ended.catch(() => {});
  }
}
