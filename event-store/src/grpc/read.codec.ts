import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Caller } from '../access/access.ts';
import { ALL_STREAM } from '../access/stream-rights.ts';
import type { Direction } from '../storage/event-rows.ts';
import { placeOf, streamNameOf } from './append.codec.ts';
import type { UuidForm } from './event-bytes.ts';
import { type EventFilter, filterOf } from './event-filter.ts';
import { sharedPb, streamsPb } from './protocol.ts';
import { invalidArgument } from './rpc-error.ts';
import { requireValidText } from './text.ts';

/** Where to begin: a revision in a stream, a position in $all. */
type Origin = number | 'start' | 'end';

/** `stream` null is $all. */
export type ReadRequest = {
  stream: string | null;
  from: Origin;
  direction: Direction;
  limit: number;
  isSubscription: boolean;
  filter: EventFilter | null;
  /** Streams whose events are excluded. */
  hides: Caller['hides'];
  uuidForm: UuidForm;
};

/** Throws INVALID_ARGUMENT, and PERMISSION_DENIED if the caller may not read. */
export function parseReadRequest(request: ReadReq, caller: Caller): ReadRequest {
  const { ReadDirection, UUIDOption } = streamsPb.ReadReq.Options;
  requireValidText(request);
  const options = request.getOptions();
  if (options === undefined) throw invalidArgument('the options of the read are missing');
  const isBackwards = options.getReadDirection() === ReadDirection.BACKWARDS;
  const isSubscription = options.hasSubscription();
  const isText = options.getUuidOption()?.getContentCase() === UUIDOption.ContentCase.STRING;
  const { stream, from } = originOf(options);
  const filter = filterOf(options);
  if (isBackwards && isSubscription) throw invalidArgument('subscriptions go forwards only');
  if (filter !== null && stream !== null) throw invalidArgument('filters are for $all');
  if (isSubscription && filter !== null && filter.checkpointInterval <= 0) {
    throw invalidArgument('the checkpoint interval must be positive');
  }
  caller.require('read', stream ?? ALL_STREAM);
  return {
    stream,
    from,
    direction: isBackwards ? 'backwards' : 'forwards',
    limit: Math.min(Number(options.getCount()), Number.MAX_SAFE_INTEGER),
    isSubscription,
    filter,
    hides: stream === null ? caller.hides : () => false,
    uuidForm: isText ? 'text' : 'structured',
  };
}

function originOf(options: ReadReq.Options): Pick<ReadRequest, 'stream' | 'from'> {
  const { StreamOptions, AllOptions } = streamsPb.ReadReq.Options;
  const stream = options.getStream();
  if (stream !== undefined) {
    const { RevisionOptionCase: Case } = StreamOptions;
    const name = streamNameOf(stream.getStreamIdentifier());
    const place = stream.getRevisionOptionCase();
    if (place === Case.REVISION)
      return { stream: name, from: placeOf(stream.getRevision()) ?? 'end' };
    return { stream: name, from: place === Case.END ? 'end' : 'start' };
  }
  const all = options.getAll();
  if (all === undefined) throw invalidArgument('a read is of a stream or of $all');
  const { AllOptionCase: Case } = AllOptions;
  const place = all.getAllOptionCase();
  if (place === Case.POSITION) {
    const position = all.getPosition();
    if (position === undefined) throw invalidArgument('the position is missing');
    return { stream: null, from: placeOf(position.getCommitPosition()) ?? 'end' };
  }
  return { stream: null, from: place === Case.END ? 'end' : 'start' };
}

export function streamNotFoundResponse(stream: string): ReadResp {
  const notFound = new streamsPb.ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(streamIdentifier(stream));
  return new streamsPb.ReadResp().setStreamNotFound(notFound);
}

export function confirmationResponse(subscriptionId: string): ReadResp {
  const confirmation = new streamsPb.ReadResp.SubscriptionConfirmation();
  return new streamsPb.ReadResp().setConfirmation(confirmation.setSubscriptionId(subscriptionId));
}

export function checkpointResponse(position: number): ReadResp {
  const checkpoint = new streamsPb.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position)).setPreparePosition(String(position));
  return new streamsPb.ReadResp().setCheckpoint(checkpoint);
}

export function caughtUpResponse(): ReadResp {
  return new streamsPb.ReadResp().setCaughtUp(new streamsPb.ReadResp.CaughtUp());
}

export function fellBehindResponse(): ReadResp {
  return new streamsPb.ReadResp().setFellBehind(new streamsPb.ReadResp.FellBehind());
}

function streamIdentifier(name: string) {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(name));
}
