export type ClientOptions = {
  /** The address of Tallyhand, such as `https://tallyhand.example`. */
  readonly baseUrl: string;
  /** An API key. Without one, a browser's sign-in at the same address is used. */
  readonly apiKey?: string | undefined;
  /**
   * How often a call is repeated after a failure that may pass, and a lost stream of a task is
   * resumed without a new event. Default: 2.
   */
  readonly retries?: number | undefined;
  /** For a call with all its attempts and the wait for its outcome. Default: 10 minutes. */
  readonly timeoutMs?: number | undefined;
  /** For each attempt. Default: 150 seconds, because an execution is answered after up to 120. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The `position` of another client: reads include what that client has done. */
  readonly position?: string | undefined;
};

export type RequestOptions = Pick<
  ClientOptions,
  'retries' | 'timeoutMs' | 'attemptTimeoutMs' | 'headers'
> & {
  /** Ends the call, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Calls with the same key happen once. By default each call has a key of its own, which its
   * repetitions share.
   */
  readonly idempotencyKey?: string | undefined;
  /** False: do not wait for the outcome of accepted work. */
  readonly wait?: boolean | undefined;
};

export type StreamOptions = RequestOptions & {
  /** A stream that is silent for so long has failed. Default: 60 seconds; the server writes every 15. */
  readonly idleTimeoutMs?: number | undefined;
};

export type JoinOptions = StreamOptions & {
  /** The `lastEventId` of another stream of the same task: this one continues after that event. */
  readonly lastEventId?: string | undefined;
};

export type ChangeOptions = RequestOptions & {
  /**
   * The `ETag` of the object that you read: if it has changed since, the change is refused with 412
   * `version-changed`.
   */
  readonly ifMatch?: string | undefined;
};
