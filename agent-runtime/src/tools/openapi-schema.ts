import { cleanText } from '../openai/clean-text.ts';

export type JsonSchema = { [keyword: string]: unknown };
export type JsonObject = { [name: string]: unknown };

/** A document that can't be used. The message is for the member who entered it. */
export class OpenApiRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OpenApiRefused';
  }
}

const refsInARow = 10;
const depthMax = 10;
const propertiesMax = 200;
const alternativesMax = 20;
const enumMax = 200;
const textMax = 300;
const usableName = /^(?!__proto__$)\P{C}{1,100}$/u;

const scalarKeywords = [
  'format',
  'const',
  'default',
  'title',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text of a document for the model: no invisible characters, cut. */
export function documentText(value: unknown, lengthMax = textMax): string {
  return typeof value === 'string' ? cleanText(value, lengthMax) : '';
}

/**
 * Reads the parts of one document, following its inner references. In total the parts may have
 * `nodesMax` schemas, so that references to references can't make a small document endless.
 */
export class DocumentReader {
  readonly #document: JsonObject;
  #nodesLeft: number;

  constructor(document: JsonObject, nodesMax: number) {
    this.#document = document;
    this.#nodesLeft = nodesMax;
  }

  /** The object itself, or the one that it refers to; undefined for anything else. */
  resolved(value: unknown): JsonObject | undefined {
    let at = value;
    for (let hops = 0; hops <= refsInARow; hops += 1) {
      if (!isObject(at)) return undefined;
      if (typeof at.$ref !== 'string') return at;
      at = target(this.#document, at.$ref);
    }
    throw new OpenApiRefused('The document has references that lead round in circles.');
  }

  /** A schema without references, of the keywords that describe an argument. */
  schema(value: unknown, outer: readonly JsonObject[] = []): JsonSchema {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft < 0) throw new OpenApiRefused('The schemas of the document are too large.');
    const given = this.resolved(value);
    // Recursive or very deep schemas may be anything.
    if (given === undefined || outer.includes(given) || outer.length >= depthMax) return {};
    const inner = (one: unknown) => this.schema(one, [...outer, given]);
    const made: JsonSchema = { ...typeOf(given), ...scalarsOf(given) };
    const description = documentText(given.description);
    if (description !== '') made.description = description;
    if (isObject(given.items)) made.items = inner(given.items);
    if (isObject(given.additionalProperties)) {
      made.additionalProperties = inner(given.additionalProperties);
    } else if (given.additionalProperties === false) made.additionalProperties = false;
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const list = given[keyword];
      if (Array.isArray(list)) made[keyword] = list.slice(0, alternativesMax).map(inner);
    }
    return isObject(given.properties) ? { ...made, ...this.#objectOf(given, inner) } : made;
  }

  /** Fields that only answers have are left out. */
  #objectOf(given: JsonObject, inner: (one: unknown) => JsonSchema): JsonSchema {
    const all = isObject(given.properties) ? given.properties : {};
    const kept = Object.keys(all)
      .filter((name) => usableName.test(name) && this.resolved(all[name])?.readOnly !== true)
      .slice(0, propertiesMax);
    const properties = Object.fromEntries(kept.map((name) => [name, inner(all[name])]));
    const wanted = Array.isArray(given.required) ? given.required : [];
    const required = kept.filter((name) => wanted.includes(name));
    return required.length === 0 ? { properties } : { properties, required };
  }
}

function target(document: JsonObject, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw new OpenApiRefused('The document refers to another document; put all into one.');
  }
  let at: unknown = document;
  for (const part of ref.split('/').slice(1)) {
    const name = nameOf(part);
    at =
      (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, name)
        ? (at as JsonObject)[name]
        : undefined;
  }
  if (!isObject(at)) {
    throw new OpenApiRefused(`The reference "${documentText(ref, 100)}" leads nowhere.`);
  }
  return at;
}

function nameOf(part: string): string {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Version 3.0 says `nullable`, 3.1 lists the type null. */
function typeOf({ type, nullable }: JsonObject): JsonSchema {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  if (nullable === true && types.length > 0 && !types.includes('null')) types.push('null');
  if (types.length === 0) return {};
  return { type: types.length === 1 ? types[0] : types.slice(0, 7) };
}

function scalarsOf(given: JsonObject): JsonSchema {
  const kept = scalarKeywords.filter((keyword) => isScalar(given[keyword]));
  const made: JsonSchema = Object.fromEntries(kept.map((keyword) => [keyword, given[keyword]]));
  // In version 3.0 a boolean excludes the limit itself.
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof made[exclusive] !== 'boolean') continue;
    if (made[exclusive] && made[limit] !== undefined) {
      made[exclusive] = made[limit];
      delete made[limit];
    } else delete made[exclusive];
  }
  const { enum: values } = given;
  const isShort = Array.isArray(values) && values.length > 0 && values.length <= enumMax;
  if (isShort && values.every((value) => value === null || isScalar(value))) made.enum = values;
  return made;
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= textMax;
  return typeof value === 'number' || typeof value === 'boolean';
}
