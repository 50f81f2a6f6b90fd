import { type ApiKeyPlace, apiKeyPlaceIn } from '@tallyhand/contracts/features/tools/key-place';
import {
  isReadMethod,
  OPENAPI_METHODS,
  operationName,
} from '@tallyhand/contracts/features/tools/openapi-names';
import {
  genericOperation,
  genericReadOperation,
  pathSegmentOf,
  type QueryStyle,
  queryOf,
  readArguments,
  type ToolOperation,
} from './api-operation.ts';
import { type ApiCall, formType } from './api-tool.ts';
import {
  DocumentReader,
  documentText,
  isObject,
  type JsonObject,
  type JsonSchema,
  OpenApiRefused,
} from './openapi-schema.ts';

const charactersMax = 5_000_000;
const operationsMax = 200;
const argumentsMax = 60;
const nodesMax = 50_000;
const schemaCharactersMax = 20_000;
const descriptionMax = 600;
const jsonType = /^(\*\/\*|application\/(\*|([a-z0-9.-]+\+)?json))$/i;
/** Names are sent to the model and back, and are part of URLs. */
const plainName = /^[^\p{C}\s]{1,100}$/u;

type Argument = {
  name: string;
  place: 'path' | 'query' | 'body';
  /** The name in the path or query. */
  sentAs: string;
  style: QueryStyle;
  required: boolean;
  schema: JsonSchema;
};
type Body = { type: string; argument: Argument };

/**
 * The operations of an OpenAPI document of version 3.0 or 3.1 in JSON; without one, any request.
 * Paths are below the tool's base URL; the document's servers are not used. `apiKeyPlace` is the
 * document's place for the key. Operations whose bodies are neither JSON nor forms are left out.
 * Throws OpenApiRefused for a document that can't be used.
 */
export function operationsOf(document: string | undefined): {
  operations: ToolOperation[];
  apiKeyPlace?: ApiKeyPlace;
} {
  if (document === undefined || document.trim() === '') return { operations: [genericOperation] };
  const root = parsed(document);
  const reader = new DocumentReader(root, nodesMax);
  const operations: ToolOperation[] = [];
  const names = new Set<string>();
  for (const [path, pathItem] of Object.entries(isObject(root.paths) ? root.paths : {})) {
    const item = path.startsWith('/') ? reader.resolved(pathItem) : undefined;
    for (const method of item === undefined ? [] : OPENAPI_METHODS) {
      const operation = reader.resolved(item?.[method]);
      if (operation === undefined) continue;
      const made = operationOf(reader, { method, path, item: item ?? {}, operation }, names);
      if (made !== undefined) operations.push(made);
    }
    if (operations.length > operationsMax) {
      throw new OpenApiRefused(`The document has more than ${operationsMax} operations.`);
    }
  }
  if (operations.length === 0) {
    throw new OpenApiRefused('The document has no operation that can be called.');
  }
  return { operations, apiKeyPlace: apiKeyPlaceIn(root) };
}

/** The operations that change nothing. There may be none. */
export function readingOperationsOf(document: string | undefined): ReturnType<typeof operationsOf> {
  const { operations, ...place } = operationsOf(document);
  if (operations.includes(genericOperation)) return { operations: [genericReadOperation] };
  return { ...place, operations: operations.filter(({ isRead }) => isRead) };
}

function parsed(document: string): JsonObject {
  if (document.length > charactersMax) {
    throw new OpenApiRefused('The document is larger than 5 million characters.');
  }
  let root: unknown;
  try {
    root = JSON.parse(document.replace(/^\ufeff/, ''));
  } catch {
    throw new OpenApiRefused('The document is not JSON that can be read.');
  }
  if (!isObject(root) || typeof root.openapi !== 'string' || !/^3\.[01]\./.test(root.openapi)) {
    throw new OpenApiRefused('The document is not OpenAPI 3.0 or 3.1.');
  }
  return root;
}

type Given = { method: string; path: string; item: JsonObject; operation: JsonObject };

function operationOf(
  reader: DocumentReader,
  { method, path, item, operation }: Given,
  names: Set<string>,
): ToolOperation | undefined {
  const body = bodyOf(reader, operation.requestBody);
  if (body === 'unknown') return undefined;
  const parameters = [...parametersOf(reader, item), ...parametersOf(reader, operation)];
  const args = argumentsOf(reader, path, parameters, body?.argument);
  const required = args.filter((one) => one.required).map(({ name }) => name);
  const place = `${method.toUpperCase()} ${documentText(path, 200)}`;
  const texts = [documentText(operation.summary), documentText(operation.description)];
  const about = [...new Set(texts)].filter((text) => text !== '').join('\n');
  return {
    name: operationName({ operationId: documentText(operation.operationId), method, path }, names),
    description: `${about.slice(0, descriptionMax)}\n${place}`.trim(),
    parameters: schemaOf(args, required),
    isRead: isReadMethod(method),
    toCall(given): ApiCall {
      const known = args.map(({ name }) => name);
      const values = readArguments(given, known, required);
      return {
        method: method.toUpperCase(),
        path: pathOf(path, args, values),
        query: args
          .filter((one) => one.place === 'query')
          .flatMap(({ name, sentAs, style }) => queryOf(sentAs, values[name], style)),
        body: body === undefined ? undefined : values[body.argument.name],
        bodyType: body?.type,
      };
    },
  };
}

function parametersOf(reader: DocumentReader, { parameters }: JsonObject): JsonObject[] {
  const list = Array.isArray(parameters) ? parameters.slice(0, argumentsMax) : [];
  return list.map((each) => reader.resolved(each)).filter((one) => one !== undefined);
}

/**
 * Path and query parameters and the body. Headers and cookies are the tool's settings, not a
 * model's. Where two have one name, the later one gets its place as a suffix.
 */
function argumentsOf(
  reader: DocumentReader,
  path: string,
  parameters: JsonObject[],
  body: Argument | undefined,
): Argument[] {
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const declared = parameters.filter(
    ({ in: place, name }) => place === 'query' || (place === 'path' && inPath.includes(`${name}`)),
  );
  // The operation's own follow, and replace those of its path.
  const bySlot = new Map(
    inPath.map((name) => [`path ${name}`, { in: 'path', name } as JsonObject]),
  );
  for (const one of declared) bySlot.set(`${one.in} ${one.name}`, one);
  const args = body === undefined ? [] : [body];
  for (const parameter of bySlot.values()) {
    const { in: place, name } = parameter;
    if (typeof name !== 'string' || !plainName.test(name)) {
      if (place !== 'path' && parameter.required !== true) continue;
      throw new OpenApiRefused('The document has a parameter whose name can not be used.');
    }
    const isTaken = args.some((one) => one.name === name);
    args.push(argumentOf(reader, parameter, isTaken ? `${name}_${place}` : name));
  }
  if (args.length > argumentsMax) {
    throw new OpenApiRefused(`An operation has more than ${argumentsMax} parameters.`);
  }
  return args;
}

function argumentOf(reader: DocumentReader, parameter: JsonObject, name: string): Argument {
  const place = parameter.in === 'path' ? 'path' : 'query';
  const content = isObject(parameter.content) ? Object.values(parameter.content)[0] : undefined;
  const media = reader.resolved(content);
  const schema = reader.schema(media?.schema ?? parameter.schema);
  const description = documentText(parameter.description) || schema.description;
  return {
    name,
    place,
    sentAs: `${parameter.name}`,
    style: media === undefined ? styleOf(parameter) : 'json',
    required: place === 'path' || parameter.required === true,
    schema: description === undefined ? schema : { ...schema, description },
  };
}

function styleOf({ style = 'form', explode = style === 'form' }: JsonObject): QueryStyle {
  if (style === 'deepObject') return 'deep';
  if (explode === true) return 'repeated';
  if (style === 'spaceDelimited') return 'space';
  return style === 'pipeDelimited' ? 'pipe' : 'comma';
}

/**
 * JSON where the operation accepts it, otherwise a form; `unknown` when it requires something else.
 */
function bodyOf(reader: DocumentReader, requestBody: unknown): Body | undefined | 'unknown' {
  const given = reader.resolved(requestBody);
  if (given === undefined) return undefined;
  const types = Object.keys(isObject(given.content) ? given.content : {});
  const pure = (type: string) => type.split(';')[0]?.trim().toLowerCase() ?? '';
  const chosen =
    types.find((type) => jsonType.test(pure(type))) ??
    types.find((type) => pure(type) === formType);
  if (chosen === undefined) return given.required === true ? 'unknown' : undefined;
  const media = isObject(given.content) ? reader.resolved(given.content[chosen]) : undefined;
  const schema = reader.schema(media?.schema);
  const isShort = JSON.stringify(schema).length <= schemaCharactersMax;
  const argument: Argument = {
    name: 'body',
    place: 'body',
    sentAs: 'body',
    style: 'json',
    required: given.required === true,
    // A schema too long for a model is worse than none.
    schema: isShort ? schema : { description: documentText(given.description) || 'JSON' },
  };
  const type = pure(chosen);
  return { type: type.includes('*') ? 'application/json' : type, argument };
}

function schemaOf(args: Argument[], required: string[]): JsonSchema {
  const properties = Object.fromEntries(args.map(({ name, schema }) => [name, schema]));
  const isShort = JSON.stringify(properties).length <= 2 * schemaCharactersMax;
  if (!isShort) throw new OpenApiRefused('The parameters of an operation are too large.');
  return { type: 'object', properties, required, additionalProperties: false };
}

function pathOf(template: string, args: Argument[], values: JsonObject): string {
  return template.replace(/\{([^{}]+)\}/g, (slot, sentAs: string) => {
    const one = args.find((arg) => arg.place === 'path' && arg.sentAs === sentAs);
    return one === undefined ? slot : pathSegmentOf(one.name, values[one.name]);
  });
}
