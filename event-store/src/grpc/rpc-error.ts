import { Metadata, status } from '@grpc/grpc-js';
import {
  ClosingError,
  DamagedStoreError,
  ExpiredError,
  messageOf,
  ReadOnlyError,
} from '../storage/faults.ts';

/**
 * An error that ends a call with a status. From the trailers the client creates its typed errors.
 */
export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;

  constructor(code: status, details: string, trailers: Record<string, string> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    this.metadata = new Metadata();
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, value);
  }
}

export function invalidArgument(details: string): RpcError {
  return new RpcError(status.INVALID_ARGUMENT, details);
}

export function unavailable(details: string): RpcError {
  return new RpcError(status.UNAVAILABLE, details);
}

export function maximumAppendSizeExceeded(bytesMax: number): RpcError {
  return new RpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${bytesMax} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(bytesMax),
  });
}

/** Translates a fault to the status that makes the client reconnect, give up, or call for help. */
export function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const details = messageOf(error);
  if (error instanceof ReadOnlyError || error instanceof ClosingError) return unavailable(details);
  if (error instanceof ExpiredError) return new RpcError(status.DEADLINE_EXCEEDED, details);
  console.error('event store:', error instanceof DamagedStoreError ? details : error);
  if (error instanceof DamagedStoreError) return new RpcError(status.DATA_LOSS, details);
  return new RpcError(status.INTERNAL, details);
}
