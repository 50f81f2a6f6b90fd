/**
 * The thread's functions for the prelude. All texts are JSON, because QuickJS cuts text at its
 * first NUL.
 */
export type PreludeHost = {
  fetch(request: string): Promise<string>;
  log(text: string): void;
  sleep(ms: number): Promise<void>;
  toBase64(text: string): string;
  fromBase64(text: string): string;
  basic(pair: string): string;
  hmac(asked: string): string;
};

/** The prelude's functions for the thread. */
export type PreludeTools = {
  /** The value as JSON; throws when it has none. */
  toJson(value: unknown): string;
  /** Any thrown value, as JSON of `Described`. */
  describe(thrown: unknown): string;
};

export type Described = { name: string; message: string; stack: string; isCut: boolean };

type HmacOptions = { algorithm?: unknown; keyEncoding?: unknown; encoding?: unknown };
type RequestOptions = { method?: unknown; headers?: object; body?: unknown };

/**
 * Makes the script's globals. It runs inside QuickJS from its own source text, before the script:
 * it can't refer to anything outside, and scripts can't replace the built-in functions that it has
 * kept. `input` and `secrets`, which contains placeholders, are JSON.
 */
export function prelude(
  host: PreludeHost,
  input: string,
  secrets: string,
  logCharsMax: number,
): PreludeTools {
  const { parse, stringify } = JSON;
  const messageCharsMax = 4_000;

  async function fetch(url: unknown, options?: RequestOptions) {
    const { method = 'GET', headers = {}, body } = options ?? {};
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError('The body of a request must be a string; use JSON.stringify.');
    }
    const fields = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const request = { url: String(url), method: String(method), body: body ?? undefined };
    const asked = stringify({ ...request, headers: Object.fromEntries(fields) });
    const answer = parse(await host.fetch(asked));
    return {
      ok: answer.status >= 200 && answer.status < 300,
      status: answer.status,
      headers: answer.headers,
      text: async () => answer.body,
      json: async () => parse(answer.body),
    };
  }

  function show(value: unknown): string {
    if (typeof value === 'string') return value;
    try {
      return (typeof value === 'object' ? stringify(value) : undefined) ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  }

  const log = (...values: unknown[]) => {
    host.log(stringify(values.map(show).join(' ').slice(0, logCharsMax)));
  };

  function toJson(value: unknown): string {
    const json = stringify(value === undefined ? null : value);
    if (json === undefined) throw new TypeError(`a ${typeof value} has no JSON`);
    return json;
  }

  function describe(thrown: unknown): string {
    const isObject = typeof thrown === 'object' && thrown !== null;
    const { name, message, stack } = isObject ? (thrown as Partial<Error>) : {};
    const isError = typeof message === 'string';
    const text = isError ? message : show(thrown);
    return stringify({
      name: isError && typeof name === 'string' && name.length <= 100 ? name : '',
      message: text.slice(0, messageCharsMax),
      stack: typeof stack === 'string' ? stack.slice(0, messageCharsMax) : '',
      isCut: text.length > messageCharsMax,
    });
  }

  Object.assign(globalThis, {
    input: parse(input),
    secrets: parse(secrets),
    fetch,
    sleep: (ms: unknown) => host.sleep(Number(ms)),
    basicAuth: (username: unknown, password: unknown) =>
      parse(host.basic(stringify([String(username), String(password)]))),
    hmac(key: unknown, text: unknown, options?: HmacOptions) {
      const { algorithm = 'sha256', keyEncoding = 'utf8', encoding = 'hex' } = options ?? {};
      const asked = { key: String(key), text: String(text), algorithm, keyEncoding, encoding };
      return parse(host.hmac(stringify(asked)));
    },
    btoa: (text: unknown) => parse(host.toBase64(stringify(String(text)))),
    atob: (text: unknown) => parse(host.fromBase64(stringify(String(text)))),
    console: { log, info: log, warn: log, error: log, debug: log },
  });
  return { toJson, describe };
}
