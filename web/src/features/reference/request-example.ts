import type { Method, Operation, Parameter } from './document.ts';
import { sampleOf } from './sample-value.ts';

export const JSON_TYPE = 'application/json';
const FORM = 'multipart/form-data';
const EVENT_STREAM = 'text/event-stream';
const PAGE_SIZE = 20;

/** How a call can be made: as usual, with a file in place of JSON, or for a stream of events. */
export type Variant = 'json' | 'file' | 'events';

/** A call without a language. */
export type RequestExample = {
  readonly method: Method;
  /** With values in place of its parameters. */
  readonly path: string;
  readonly pathValues: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly isByKey: boolean;
  readonly takesIdempotencyKey: boolean;
  /** Undefined without a JSON body. */
  readonly body: unknown;
  /** The field of a form that takes a file. */
  readonly fileField: string | null;
  readonly answer: 'json' | 'events' | 'text' | 'file' | 'none';
  /** Where an answered file is saved. */
  readonly fileName: string;
  readonly isPaged: boolean;
  /** Such as `agents.create`; undefined if the client library has no method for the call. */
  readonly clientMethod: string | undefined;
};

/** The ways in which a call can be made. The first is the usual one. */
export function variantsOf({ requestBody, responses }: Operation): readonly Variant[] {
  const answered = Object.values(responses).flatMap(({ content }) => Object.keys(content ?? {}));
  // A stream that the body asks for is the usual call with another value.
  const isByHeader = !requestBody?.content[JSON_TYPE]?.schema?.properties?.stream;
  const isAlwaysStream = answered.includes(EVENT_STREAM) && !answered.includes(JSON_TYPE);
  return [
    ...(isAlwaysStream ? [] : (['json'] as const)),
    ...(requestBody?.content[FORM] ? (['file'] as const) : []),
    ...(answered.includes(EVENT_STREAM) && isByHeader ? (['events'] as const) : []),
  ];
}

/** The call with an API key, with the document's example or what its schemas require. */
export function requestOf(operation: Operation, variant: Variant): RequestExample {
  const { method, path, parameters = [], requestBody, security } = operation;
  const isParameter = (place: string) => (parameter: Parameter) => parameter.in === place;
  const inPath = parameters.filter(isParameter('path'));
  const query = parameters.filter(isParameter('query'));
  const isPaged = query.some(({ name }) => name === 'cursor');
  const form = variant === 'file' ? requestBody?.content[FORM] : undefined;
  const json = form ? undefined : requestBody?.content[JSON_TYPE];
  const media = successMedia(operation);
  return {
    method,
    path: inPath.reduce((filled, one) => filled.replace(`{${one.name}}`, textIn(one)), path),
    pathValues: inPath.map(textIn),
    query: Object.fromEntries(
      query
        .filter(
          ({ name, required, schema }) =>
            required || schema?.examples || (isPaged && name === 'limit'),
        )
        .map((one) => [
          one.name,
          isPaged && one.name === 'limit' ? PAGE_SIZE : sampleOf(one.schema),
        ]),
    ),
    isByKey: security.some((way) => 'apiKey' in way),
    takesIdempotencyKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    body: json && (json.example ?? sampleOf(json.schema)),
    fileField: form ? (form.schema?.required?.[0] ?? 'file') : null,
    answer: variant === 'events' ? 'events' : answerOf(media),
    fileName: `${operation.operationId}.${media?.split('/')[1] ?? 'bin'}`,
    isPaged,
    clientMethod: clientMethodOf(operation, variant),
  };
}

/** The example of the answer; undefined if the document has none. */
export function answerExampleOf({ responses }: Operation): unknown {
  const answered = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const contents = answered.flatMap(([, { content }]) => content?.[JSON_TYPE] ?? []);
  return contents
    .map(({ example, examples = {} }) => example ?? Object.values(examples)[0]?.value)
    .find((example) => example !== undefined);
}

/** A call that can also be answered at once has a second method for its stream. */
function clientMethodOf(operation: Operation, variant: Variant): string | undefined {
  const { 'x-client-method': name } = operation;
  const isSecond = variant === 'events' && variantsOf(operation).includes('json');
  return name && isSecond ? `${name}Stream` : name;
}

const textIn = (parameter: Parameter): string =>
  encodeURIComponent(String(sampleOf(parameter.schema)));

function successMedia({ responses }: Operation): string | undefined {
  const answered = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return answered.flatMap(([, { content }]) => Object.keys(content ?? {}))[0];
}

function answerOf(media: string | undefined): RequestExample['answer'] {
  if (!media) return 'none';
  if (media === JSON_TYPE) return 'json';
  if (media === EVENT_STREAM) return 'events';
  return media.startsWith('text/') ? 'text' : 'file';
}
