import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { UuidForm } from '../grpc/event-bytes.ts';
import { sharedPb } from '../grpc/protocol.ts';
import { uuidText } from '../grpc/uuid.codec.ts';

/** The id as a message of the official client. */
export function uuidMessage(bytes: Uint8Array, form: UuidForm): UUID {
  const message = new sharedPb.UUID();
  if (form === 'text') return message.setString(uuidText(bytes));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const structured = new sharedPb.UUID.Structured();
  structured.setMostSignificantBits(view.getBigInt64(0).toString());
  structured.setLeastSignificantBits(view.getBigInt64(8).toString());
  return message.setStructured(structured);
}
