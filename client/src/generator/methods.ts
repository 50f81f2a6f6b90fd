import { clientMethodOf } from '@tallyhand/contracts/kernel/client-method';
import { type Endpoint, takesIdempotencyKey } from '@tallyhand/contracts/kernel/endpoint';
import { isPaged, refusalsOf } from '@tallyhand/contracts/kernel/openapi-responses';
import {
  clientEndpoints,
  keyedItemsOf,
  type Operation,
  operationOf,
  resolved,
} from './document.ts';
import { comment, type Schema, typeText, union } from './type-text.ts';

const EVENT_STREAM = 'text/event-stream';
const IF_MATCH = '#/components/parameters/If-Match';

/** A call with what its methods are made from. */
export type Method = {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly operation: Operation;
  readonly isPaged: boolean;
  /** Always a stream of events, and never one JSON answer. */
  readonly isStream: boolean;
};

export const methods: readonly Method[] = clientEndpoints.map((endpoint) => ({
  name: clientMethodOf(endpoint),
  endpoint,
  operation: operationOf(endpoint),
  isPaged: isPaged(endpoint),
  isStream: endpoint.media === EVENT_STREAM,
}));

/**
 * What the client knows of a method while it runs: name, HTTP method, path and flags. The flags are
 * b body, q query, k idempotency key, i keys in the items of the body, l
 * pages, m file as the answer, s stream as well, e stream only, r resumed after an event, a perhaps
 * accepted before it is done.
 */
export function rowOf({ name, endpoint, operation, isPaged, isStream }: Method): string {
  const { method, path, body, query, media, streamed, accepted, takesLastEventId } = endpoint;
  if (body && query) throw new Error(`${name} has a body and a query: a method takes one of them`);
  const flags = [
    body && 'b',
    query && 'q',
    takesIdempotencyKey(endpoint) && 'k',
    keyedItemsOf(operation) && 'i',
    isPaged && 'l',
    media && !isStream && 'm',
    streamed && !isStream && 's',
    isStream && 'e',
    takesLastEventId && 'r',
    accepted && 'a',
  ];
  return `${name} ${method} ${path} ${flags.filter(Boolean).join('')}`.trimEnd();
}

/** The methods of a call as TypeScript declares them. */
export function signaturesOf(one: Method, indent: string): string {
  const { endpoint, operation, isStream } = one;
  const own = one.name.split('.').at(-1) ?? '';
  const doc = comment(documentationOf(one), indent);
  const given = argumentsOf(one);
  const line = (name: string, options: string, result: string) =>
    `${indent}${name}(${[...given, options].join(', ')}): ${result};\n`;
  if (isStream) {
    const events = eventsOf(operation);
    const reply = endpoint.streamed?.reply && repliesOf(operation);
    return reply
      ? `${doc}${line(own, 'options?: JoinOptions', `ReplyStream<${events}, ${reply}>`)}`
      : `${doc}${line(own, 'options?: StreamOptions', `EventStream<${events}>`)}`;
  }
  const takesIfMatch = operation.parameters.some(({ $ref }) => $ref === IF_MATCH);
  const options = takesIfMatch ? 'ChangeOptions' : 'RequestOptions';
  const lines = [line(own, `options?: ${options}`, resultOf(one))];
  if (endpoint.accepted) {
    const accepted = typeText(jsonOf(operation, 202) ?? {});
    lines.unshift(line(own, 'options: RequestOptions & { wait: false }', `Call<${accepted}>`));
    lines.splice(1, 0, doc);
  }
  if (endpoint.streamed) {
    const result = `ReplyStream<${eventsOf(operation)}, ${repliesOf(operation)}>`;
    lines.push(comment(`${operation.summary}, as events while the answer is written.`, indent));
    lines.push(line(`${own}Stream`, 'options?: StreamOptions', result));
  }
  return `${doc}${lines.join('')}`;
}

function argumentsOf({ endpoint, operation }: Method): string[] {
  const { parameters, requestBody } = operation;
  const isPost = endpoint.method === 'POST';
  const inPath = parameters.filter((one) => one.in === 'path');
  const inQuery = parameters.filter((one) => one.in === 'query');
  const given = inPath.map(({ name }) => `${name}: string`);
  if (inQuery.length > 0) {
    const properties = inQuery.map(({ name, schema, description }) => [
      name,
      { ...schema, ...(description && { description }) },
    ]);
    const required = inQuery.filter((one) => one.required).map(({ name }) => name);
    const schema = { type: 'object', properties: Object.fromEntries(properties), required };
    given.push(`query${required.length > 0 ? '' : '?'}: ${typeText(schema, '  ')}`);
  }
  const json = requestBody?.content['application/json']?.schema;
  const form = requestBody?.content['multipart/form-data']?.schema.properties;
  if (json) {
    const files = Object.keys(form ?? {}).map((name) => `{ ${name}: FileInput }`);
    const mark = isOptional(json) && isPost ? '?' : '';
    given.push(`body${mark}: ${union([typeText(json), ...files])}`);
  }
  return given;
}

/** Whether a body may be empty. */
function isOptional(schema: Schema): boolean {
  const { type, required = [] } = resolved(schema);
  return type === 'object' && required.length === 0;
}

function resultOf({ endpoint, operation, isPaged }: Method): string {
  if (endpoint.media) return 'Call<Response>';
  const schema = jsonOf(operation, endpoint.status);
  if (!schema) return 'Call<void>';
  if (isPaged) return `PageCall<${typeText(schema.items ?? {})}>`;
  const waiting = endpoint.waits && jsonOf(operation, 202);
  return `Call<${union([schema, ...(waiting ? [waiting] : [])].map((one) => typeText(one, '  ')))}>`;
}

const jsonOf = ({ responses }: Operation, status: number): Schema | undefined =>
  responses[status]?.content?.['application/json']?.schema;

function streamedBy({ responses }: Operation): readonly Schema[] {
  const schema = responses[200]?.content?.[EVENT_STREAM]?.schema ?? {};
  return schema.oneOf ?? [schema];
}

const isNamed = ({ properties }: Schema, event: string) => properties?.event?.const === event;

/** The events of a stream; one that fails is thrown, and not an event. */
const eventsOf = (operation: Operation): string =>
  union(
    streamedBy(operation)
      .filter((one) => !isNamed(one, 'failed'))
      .map((one) => typeText(one, '  ').replace(/\s+/g, ' ')),
  );

/** The data of the last event. */
const repliesOf = (operation: Operation): string =>
  typeText(streamedBy(operation).find((one) => isNamed(one, 'reply'))?.properties?.data ?? {});

function documentationOf({ endpoint, operation }: Method): string {
  const { method, path, refusals = [] } = endpoint;
  const codes = refusals.map(({ code, status }) => `\`${code}\` (${status})`);
  return [
    `${operation.summary}: \`${method} ${path}\``,
    operation.description,
    codes.length > 0 ? `Refused with ${codes.join(', ')}.` : '',
    operation.deprecated ? '@deprecated' : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The codes of each call's problems. Those that every call has are written once. */
export function problemCodes(): string {
  const codes = methods.map(({ name, endpoint }) => ({
    name,
    codes: refusalsOf(endpoint).map(({ code }) => code),
  }));
  const [first, ...others] = codes.map((one) => new Set(one.codes));
  const everywhere = [...(first ?? [])].filter((code) => others.every((one) => one.has(code)));
  const text = (list: readonly string[]) => list.map((code) => JSON.stringify(code));
  const rows = codes.map(({ name, codes: list }) => {
    const own = text(list.filter((code) => !everywhere.includes(code)));
    return `  ${JSON.stringify(name)}: ${union(['CommonCode', ...own])};\n`;
  });
  return [
    `/** Codes of problems that every call may have. */\nexport type CommonCode = ${union(text(everywhere))};\n`,
    `/** The codes of the problems of each call, by its name. */\nexport interface ProblemCodes {\n${rows.join('')}}\n`,
  ].join('\n');
}
