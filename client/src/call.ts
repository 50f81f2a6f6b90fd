/** An answer with its headers. */
export type Answered<T> = {
  readonly data: T;
  /** Status and headers; the body was read. */
  readonly response: Response;
  /** Names the call in Tallyhand's logs. */
  readonly requestId: string | undefined;
};

/** A call that was sent: a promise of its answer. */
export class Call<T> extends Promise<T> {
  readonly #answered: Promise<Answered<T>>;

  constructor(answered: Promise<Answered<T>>) {
    super((resolve, reject) => {
      answered.then(({ data }) => resolve(data), reject);
    });
    this.#answered = answered;
  }

  /** What `then` returns is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The answer together with its status, headers and request id. */
  withResponse(): Promise<Answered<T>> {
    // A failure is the returned promise's to report.
    this.catch(() => {});
    return this.#answered;
  }
}
