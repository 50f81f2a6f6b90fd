import type { ToolOperation } from './api-operation.ts';
import { ToolCallRefused } from './api-url.ts';
import { isObject } from './openapi-schema.ts';

const REQUEST = /^(?:(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+)?(\/\S*)(?:\s+([[{][\s\S]*))?$/i;

/**
 * The input of a trial run of a tool of type `api`: a request as `GET /orders/7` or `POST /orders
 * {"item": 4}`, nothing for the base URL itself, or JSON: the arguments, or `{"operation": name,
 * "arguments": {…}}` where an OpenAPI document names several operations. Throws ToolCallRefused,
 * with the correction.
 */
export function readToolInput<Operation extends Pick<ToolOperation, 'name'>>(
  text: string,
  operations: readonly Operation[],
): { readonly operation: Operation; readonly args: unknown } {
  const input = text.trim();
  const only = operations.length === 1 ? operations[0] : undefined;
  const generic = only?.name === 'request' ? only : undefined;
  if (generic && input === '') return { operation: generic, args: { method: 'GET', path: '' } };
  const request = generic && REQUEST.exec(input);
  if (request) {
    const [, method = 'GET', path, body] = request;
    return { operation: generic, args: { method, path, ...(body ? { body: json(body) } : {}) } };
  }
  const given = input === '' ? {} : json(input);
  if (isObject(given) && typeof given.operation === 'string') {
    const named = operations.find(({ name }) => name === given.operation);
    if (named) return { operation: named, args: given.arguments ?? {} };
  } else if (only) {
    return { operation: only, args: given };
  }
  const names = operations.slice(0, 20).map(({ name }) => name);
  throw new ToolCallRefused(
    `Name one of the operations, as {"operation": "${names[0]}", "arguments": {}}. ` +
      `There are: ${names.join(', ')}.`,
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolCallRefused(
      'Write a request, as GET /orders/7 or POST /orders {"item": 4}, or arguments as JSON.',
    );
  }
}
