import { isUtf8 } from 'node:buffer';
import type { MethodDefinition } from '@grpc/grpc-js';
import { streamsGrpc } from './protocol.ts';
import { invalidArgument } from './rpc-error.ts';

/** By default a decoder replaces invalid bytes, and drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws INVALID_ARGUMENT for bytes that are no UTF-8: two such names could become one. */
export function textOf(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidArgument(`${what} is not valid UTF-8`);
  }
}

/** The fields of a message that hold text, or messages with text, by their numbers. */
type TextFields = { readonly [field: number]: 'text' | TextFields };

const UUID: TextFields = { 2: 'text' };
const PROPOSED_MESSAGE: TextFields = { 1: UUID, 2: { 1: 'text', 2: 'text' } };
const EXPRESSION: TextFields = { 1: 'text', 2: 'text' };
const APPEND: TextFields = { 2: PROPOSED_MESSAGE };
const BATCH_APPEND: TextFields = { 1: UUID, 3: PROPOSED_MESSAGE };
const READ: TextFields = { 1: { 7: { 1: EXPRESSION, 2: EXPRESSION } } };

const invalid = new WeakSet<object>();

/** Throws INVALID_ARGUMENT for a message that came with text that is no UTF-8. */
export function requireValidText(message: object): void {
  if (invalid.has(message)) throw invalidArgument('the message holds text that is not valid UTF-8');
}

function checked<Request extends object, Response>(
  method: MethodDefinition<Request, Response>,
  fields: TextFields,
): MethodDefinition<Request, Response> {
  return {
    ...method,
    requestDeserialize(bytes) {
      const message = method.requestDeserialize(bytes);
      if (!isTextValid(bytes, fields)) invalid.add(message);
      return message;
    },
  };
}

/** The method, which also sends responses that are bytes already. */
function withBytes<Request, Response>(
  method: MethodDefinition<Request, Response>,
): MethodDefinition<Request, Response | Buffer> {
  return {
    ...method,
    responseSerialize: (response) =>
      Buffer.isBuffer(response) ? response : method.responseSerialize(response),
  };
}

/**
 * The Streams service with messages whose text is checked on arrival: google-protobuf silently
 * skips invalid UTF-8, which cannot be detected afterwards.
 */
export const streamsService = {
  ...streamsGrpc.StreamsService,
  read: withBytes(checked(streamsGrpc.StreamsService.read, READ)),
  append: checked(streamsGrpc.StreamsService.append, APPEND),
  batchAppend: checked(streamsGrpc.StreamsService.batchAppend, BATCH_APPEND),
};

/** Bytes that are no message at all pass: their deserialization fails. */
function isTextValid(bytes: Uint8Array, fields: TextFields): boolean {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else if (wireType === 2) {
      const length = varint();
      const field = fields[Math.floor(tag / 8)];
      if (field !== undefined) {
        const value = bytes.subarray(at, at + length);
        if (!(field === 'text' ? isUtf8(value) : isTextValid(value, field))) return false;
      }
      at += length;
    }
  }
  return true;
}
