import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { type ExpectedRevision, NO_STREAM, type ProposedEvent } from '../storage/events.ts';
import { ExpiredError } from '../storage/faults.ts';
import { streamsPb } from './protocol.ts';
import { invalidArgument, maximumAppendSizeExceeded } from './rpc-error.ts';
import { textOf } from './text.ts';
import { uuidFromMessage } from './uuid.codec.ts';

/**
 * EventStoreDB's default: the limit of one append, in bytes of data, metadata and type (two per
 * letter).
 */
export const APPEND_BYTES_MAX = 1024 * 1024;

/** How long an append may take from its first message to its last. */
export const UNFINISHED_MS_MAX = 30_000;

const STREAM_NAME_BYTES_MAX = 4_096;
const CONTENT_TYPE_LENGTH_MAX = 1_024;

/** The stream's name. Throws INVALID_ARGUMENT for one that can't be a stream. */
export function streamNameOf(identifier: StreamIdentifier | undefined): string {
  const bytes = identifier?.getStreamName_asU8() ?? new Uint8Array();
  if (bytes.length === 0) throw invalidArgument('the name of the stream is missing');
  if (bytes.length > STREAM_NAME_BYTES_MAX)
    throw invalidArgument('the name of the stream is too long');
  return textOf(bytes, 'the name of the stream');
}

/** As streamNameOf, and refuses $all, to which nothing can be appended. */
export function appendableNameOf(identifier: StreamIdentifier | undefined): string {
  const name = streamNameOf(identifier);
  if (name === '$all') throw invalidArgument('$all takes no appends');
  return name;
}

export function lateAppend(): ExpiredError {
  return new ExpiredError('the append was not complete in time');
}

/** Collects the events of one append and refuses to hold more than it may have. */
export class Proposal {
  readonly events: ProposedEvent[] = [];
  #bytes = 0;

  add(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): void {
    const meta = message.getMetadataMap();
    const event: ProposedEvent = {
      id: uuidFromMessage(message.getId()),
      type: meta.get('type') ?? '',
      contentType: meta.get('content-type') ?? 'application/octet-stream',
      metadata: message.getCustomMetadata_asU8(),
      data: message.getData_asU8(),
    };
    if (event.type === '') throw invalidArgument('the type of an event is missing');
    if (event.contentType.length > CONTENT_TYPE_LENGTH_MAX) {
      throw invalidArgument('the content type of an event is too long');
    }
    this.#bytes += event.data.length + event.metadata.length + event.type.length * 2;
    if (this.#bytes > APPEND_BYTES_MAX) throw maximumAppendSizeExceeded(APPEND_BYTES_MAX);
    this.events.push(event);
  }
}

/** The largest revision and position there can be, and the largest number that can be sent. */
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/**
 * A revision or position as it was sent, in decimal; null is the largest number there is, by which
 * EventStoreDB means the end, or no stream. Throws INVALID_ARGUMENT for one that can't be. None
 * that is exact has so many digits that a number would lose some.
 */
export function placeOf(decimal: string): number | null {
  const value = BigInt(decimal);
  if (value === UINT64_MAX) return null;
  if (value > INT64_MAX)
    throw invalidArgument(`${decimal} is larger than any revision or position`);
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

export function expectedOfAppend(options: AppendReq.Options): ExpectedRevision {
  const { ExpectedStreamRevisionCase: Case } = streamsPb.AppendReq.Options;
  switch (options.getExpectedStreamRevisionCase()) {
    case Case.REVISION:
      return placeOf(options.getRevision()) ?? 'no_stream';
    case Case.NO_STREAM:
      return 'no_stream';
    case Case.STREAM_EXISTS:
      return 'stream_exists';
    default:
      return 'any';
  }
}

export function expectedOfBatch(options: BatchAppendReq.Options): ExpectedRevision {
  const { ExpectedStreamPositionCase: Case } = streamsPb.BatchAppendReq.Options;
  switch (options.getExpectedStreamPositionCase()) {
    case Case.STREAM_POSITION:
      return placeOf(options.getStreamPosition()) ?? 'no_stream';
    case Case.NO_STREAM:
      return 'no_stream';
    case Case.STREAM_EXISTS:
      return 'stream_exists';
    default:
      return 'any';
  }
}

/** A revision as the protocol wants it, or null for a stream without events. */
export function revisionText(revision: number): string | null {
  return revision === NO_STREAM ? null : String(revision);
}
