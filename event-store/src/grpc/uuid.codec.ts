import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { invalidArgument } from './rpc-error.ts';

const UUID_TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The usual text form, lower case. Throws INVALID_ARGUMENT. */
export function uuidFromMessage(message: UUID | undefined): string {
  if (message === undefined) throw invalidArgument('an id is missing');
  const structured = message.getStructured();
  if (structured !== undefined) {
    const bytes = Buffer.alloc(16);
    bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(structured.getMostSignificantBits())), 0);
    bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(structured.getLeastSignificantBits())), 8);
    return uuidText(bytes);
  }
  const text = message.getString().toLowerCase();
  if (!UUID_TEXT.test(text)) throw invalidArgument(`${JSON.stringify(text)} is not a UUID`);
  return text;
}

/** Sixteen bytes in the usual text form. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
