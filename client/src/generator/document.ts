import { apiDocument } from '@tallyhand/contracts/api-document';
import { endpoints, isForClients } from '@tallyhand/contracts/endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { nameOf, type Schema } from './type-text.ts';

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export type Operation = {
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly {
    readonly $ref?: string;
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Operation['parameters'][number]>>;
  };
};

/** The API document, so that the types of the client are those that the document declares. */
export const document = apiDocument({
  version: '0',
  serverUrl: '',
  signInCookie: '',
}) as unknown as Document;

/** The calls that have a method. */
export const clientEndpoints = endpoints.filter(isForClients);

export function operationOf({ path, method }: Endpoint): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not in the API document`);
  const parameters = operation.parameters.map((one) => ({
    ...(one.$ref ? document.components.parameters[nameOf(one.$ref)] : {}),
    ...one,
  })) as Operation['parameters'];
  return { ...operation, parameters };
}

/** The schema itself, or the one that it refers to. */
export const resolved = (schema: Schema | undefined): Schema =>
  (schema?.$ref ? document.components.schemas[nameOf(schema.$ref)] : schema) ?? {};

const KEY = 'idempotencyKey';

/** The items of a body's list, where each item has its own idempotency key. */
export function keyedItemsOf({ requestBody }: Operation): Schema | undefined {
  const body = resolved(requestBody?.content['application/json']?.schema);
  return Object.values(body.properties ?? {})
    .map(({ items }) => items)
    .find((items) => resolved(items).properties?.[KEY]);
}

/** The client makes the keys of items that have none. */
export function withoutKey(schema: Schema): Schema {
  return { ...schema, required: schema.required?.filter((name) => name !== KEY) };
}
