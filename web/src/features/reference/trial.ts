import type { Operation, Parameter } from './document.ts';
import { sampleOf } from './sample-value.ts';

/** What the reader entered. Values of parameters are by their names. */
export type Entered = {
  readonly key: string;
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  readonly file: File | undefined;
};

/** By the names of parameters, `key`, `body` and `file`. */
export type Faults = Readonly<Record<string, 'missing' | 'key' | 'json'>>;

type Call = { readonly url: string; readonly init: RequestInit };

/** As the server makes them (service-kit/src/http/credentials.ts). */
const KEY = /^th_[A-Za-z0-9_-]{43}$/;
/** In a path, a browser would resolve them. */
const DOTS = /^\.{1,2}$/;
const FORM = 'multipart/form-data';

export const takesKey = ({ security }: Pick<Operation, 'security'>): boolean =>
  security.some((way) => 'apiKey' in way);

export const parametersOf = ({ parameters = [] }: Operation): readonly Parameter[] =>
  parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query');

/** The JSON body to begin with; null if the call takes none. */
export function firstBody({ requestBody }: Operation): string | null {
  const media = requestBody?.content['application/json'];
  return media ? JSON.stringify(media.example ?? sampleOf(media.schema), null, 2) : null;
}

export const takesFile = ({ requestBody }: Operation): boolean =>
  requestBody?.content[FORM] !== undefined;

/**
 * The call that was entered, to this origin only and without cookies: the key alone decides what it
 * may do. A chosen file is sent instead of the JSON body.
 */
export function callOf(operation: Operation, entered: Entered, origin: string): Call | Faults {
  const { method, path, requestBody } = operation;
  const parameters = parametersOf(operation);
  const key = entered.key.trim();
  const valueIn = ({ name }: Parameter) => entered.values[name]?.trim() ?? '';
  const body = entered.file || firstBody(operation) === null ? undefined : entered.body;
  const faults: Record<string, Faults[string]> = {};
  if (takesKey(operation) && !KEY.test(key)) faults.key = key === '' ? 'missing' : 'key';
  for (const parameter of parameters) {
    const value = valueIn(parameter);
    const isMissing = parameter.in === 'path' ? value === '' || DOTS.test(value) : value === '';
    if (parameter.required && isMissing) faults[parameter.name] = 'missing';
  }
  if (body !== undefined && !isJson(body)) faults.body = 'json';
  if (Object.keys(faults).length > 0) return faults;
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const url = new URL(
    inPath.reduce(
      (filled, one) => filled.replace(`{${one.name}}`, () => encodeURIComponent(valueIn(one))),
      path,
    ),
    origin,
  );
  for (const parameter of parameters) {
    const value = valueIn(parameter);
    if (parameter.in === 'query' && value !== '') url.searchParams.set(parameter.name, value);
  }
  const fileField = requestBody?.content[FORM]?.schema?.required?.[0] ?? 'file';
  return {
    url: url.href,
    init: {
      method: method.toUpperCase(),
      headers: {
        ...(takesKey(operation) && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: entered.file ? formOf(fileField, entered.file) : (body ?? null),
      mode: 'same-origin',
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    },
  };
}

export const isCall = (given: Call | Faults): given is Call => 'init' in given;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function formOf(field: string, file: File): FormData {
  const form = new FormData();
  form.set(field, file);
  return form;
}

export type Answer = {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** From sending to the end of the body so far. */
  readonly ms: number;
  /** Null if the body is no text. */
  readonly text: string | null;
  readonly bytes: number;
  /** More came than is shown. */
  readonly isCut: boolean;
};

const SHOWN_CHARACTERS_MAX = 200_000;
const TEXT = /^text\/|[/+](json|xml|x-ndjson)\b/;

/**
 * Sends the call and reports its answer as it arrives, last when it is complete. Rejects without an
 * answer.
 */
export async function send(
  { url, init }: Call,
  signal: AbortSignal,
  report: (answer: Answer) => void,
): Promise<void> {
  const begun = performance.now();
  const response = await fetch(url, { ...init, signal });
  const isText = TEXT.test(response.headers.get('content-type') ?? '');
  let answer: Answer = {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    ms: performance.now() - begun,
    text: isText || !response.body ? '' : null,
    bytes: 0,
    isCut: false,
  };
  report(answer);
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    const text =
      answer.text === null ? null : answer.text + decoder.decode(piece.value, { stream: true });
    answer = {
      ...answer,
      ms: performance.now() - begun,
      bytes: answer.bytes + piece.value.length,
      text: text?.slice(0, SHOWN_CHARACTERS_MAX) ?? null,
      isCut: (text?.length ?? 0) > SHOWN_CHARACTERS_MAX,
    };
    report(answer);
    if (answer.isCut) return reader?.cancel();
  }
  report({ ...answer, text: answer.text && pretty(answer.text), ms: performance.now() - begun });
}

/** JSON with line breaks; any other text unchanged. */
function pretty(text: string): string {
  return isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;
}
