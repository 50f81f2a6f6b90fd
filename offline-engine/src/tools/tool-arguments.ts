import type { JsonObject, ToolOperation } from '@tallyhand/agent-runtime/engine';
import { fold } from '../words/terms.ts';

type Property = {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly enum?: unknown;
};

/** The arguments that were found in a request, and the names of those that are needed and missing. */
export type FoundArguments = { args: JsonObject; missing: string[] };

const requestLine = /(?:^|\s)(?:(GET|HEAD|POST|PUT|PATCH|DELETE)\s+)?(\/[\w\-./~%?=&:@,+]*)/;
const wholeText = /^(?:q|query|search|text|input|message|question|prompt|content)$/i;
const identifying = /(?:id|number|no|nr|code|key|ref|sku)$/i;
const textMax = 4_000;

/**
 * Takes the arguments of an operation from the words of a request: a JSON object in it, values that
 * stand after a name, and values that only one argument can mean. Nothing is made up.
 */
export function argumentsIn(text: string, operation: ToolOperation): FoundArguments {
  const { properties, required } = readParameters(operation);
  const given = jsonIn(text);
  if (operation.name === 'request' && 'path' in properties) return requestIn(text, given);
  const args: Record<string, unknown> = {};
  const needed = (name: string) => required.includes(name);
  for (const [name, property] of Object.entries(properties)) {
    const value = given?.[name] ?? labelled(text, name, property);
    const found = value ?? (needed(name) ? onlyPossible(text, name, property) : undefined);
    if (found !== undefined) args[name] = found;
  }
  const unclear = required.filter((name) => !(name in args));
  const [only] = unclear;
  // What has one argument and a request can only mean the two together.
  if (only !== undefined && unclear.length === 1 && required.length === 1) {
    const value = lastResort(text, only, properties[only] ?? {});
    if (value !== undefined) args[only] = value;
  }
  return { args, missing: required.filter((name) => !(name in args)) };
}

function readParameters({ parameters }: ToolOperation) {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  return {
    properties: properties as Readonly<Record<string, Property>>,
    required: required.filter((one): one is string => typeof one === 'string'),
  };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first JSON object of a text. */
export function jsonIn(text: string): JsonObject | undefined {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from === -1 || to < from) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A request as it is typed, as `GET /orders/7` or `POST /orders {"item": 4}`. */
function requestIn(text: string, body: JsonObject | undefined): FoundArguments {
  const [, method, path] = requestLine.exec(text) ?? [];
  if (!path) return { args: {}, missing: ['path'] };
  const [plain = '', query = ''] = path.replace(/[.,:]+$/, '').split('?');
  const pairs = Object.fromEntries(new URLSearchParams(query));
  return {
    args: {
      method: method ?? (body ? 'POST' : 'GET'),
      path: plain,
      ...(query && { query: pairs }),
      ...(body && { body }),
    },
    missing: [],
  };
}

/** The words of a name as people write them: `orderId` is an order, or an order id. */
function labelOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '');
  const subject =
    words.length > 1 && identifying.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  return subject.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '')).join('[\\s_-]*');
}

/** The value that stands after the argument's name. */
function labelled(text: string, name: string, property: Property): unknown {
  const label = labelOf(name);
  if (label === '') return undefined;
  const marks = '(?:[\\s_-]*(?:id|number|no\\.?|nr\\.?|code))?(?!\\p{L})\\s*(is\\b|=|:|#)?\\s*';
  const value = '(?:"([^"]{1,500})"|“([^”]{1,500})”|([\\p{L}\\p{N}][^\\s,;!?"“”]*))';
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${label}${marks}${value}`, 'giu');
  for (const [, mark, quoted, curly, bare = ''] of text.matchAll(pattern)) {
    const found = quoted ?? curly ?? bare.replace(/[.:)]+$/, '');
    // A bare word is a value when a mark says so, or when it is not an ordinary word.
    const isMeant = quoted ?? curly ?? (mark !== undefined || /\d/.test(found));
    const fitting = isMeant ? fit(found, property) : undefined;
    if (fitting !== undefined) return fitting;
  }
  return undefined;
}

/** The one thing in the text that has the argument's form. */
function onlyPossible(text: string, name: string, property: Property): unknown {
  if (Array.isArray(property.enum)) return fit(text, property);
  const { type, format } = property;
  if (format === 'email') return only(text, /[^\s<>"',;]+@[^\s<>"',;]+\.[a-z]{2,}/gi);
  if (format === 'uri' || format === 'url') return only(text, /https?:\/\/[^\s<>"']+/gi);
  if (format === 'date-time') return only(text, /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?/g);
  if (format === 'date') return only(text, /\b\d{4}-\d\d-\d\d\b/g);
  if (type === 'integer' || type === 'number') {
    const number = only(text, /(?<![\p{L}\d.-])-?\d+(?:\.\d+)?(?![\p{L}\d-])/gu);
    return number === undefined ? undefined : fit(number, property);
  }
  if (!identifying.test(name)) return undefined;
  return only(text, /(?<![\p{L}\d])[\p{L}\d]*\d[\p{L}\d_-]*/gu);
}

/** What is quoted, what is named with a capital letter, or the whole request. */
function lastResort(text: string, name: string, { type, enum: choices }: Property): unknown {
  if (choices || (type !== undefined && type !== 'string')) return undefined;
  if (wholeText.test(name)) return (type ? undefined : jsonIn(text)) ?? text.slice(0, textMax);
  const quoted = only(text, /["“]([^"”]{1,500})["”]/g);
  if (quoted !== undefined) return quoted.slice(1, -1);
  const place =
    /(?<![\p{L}])(?:in|for|of|to|from|about|at|named|called)\s+((?:\p{Lu}[\p{L}\p{M}'-]*\s?)+)/u;
  return place.exec(text)?.[1]?.trim() ?? only(text, /(?<![\p{L}\d])[\p{L}\d]*\d[\p{L}\d_-]*/gu);
}

function only(text: string, pattern: RegExp): string | undefined {
  const found = new Set([...text.matchAll(pattern)].map(([one]) => one.replace(/[.,;:!?]+$/, '')));
  return found.size === 1 ? [...found][0] : undefined;
}

/** Folded words with a space around each, to find some of them as whole words. */
export const paddedWords = (text: string) =>
  ` ${fold(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** The text as the value that the schema wants; undefined when it is none. */
function fit(text: string, { type, enum: choices }: Property): unknown {
  if (Array.isArray(choices)) {
    const words = paddedWords(text);
    const named = choices.filter((one) => words.includes(` ${fold(String(one))} `));
    return named.length === 1 ? named[0] : undefined;
  }
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (type === 'boolean')
    return /^(?:true|yes)$/i.test(text) ? true : /^(?:false|no)$/i.test(text) ? false : undefined;
  return type === 'array' || type === 'object' ? undefined : text;
}
