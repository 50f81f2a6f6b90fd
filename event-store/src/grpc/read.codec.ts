import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from '../storage/events.ts';
import { sharedPb, streamsPb } from './protocol.ts';
import { uuidMessage } from './uuid.codec.ts';

/** Clients choose how ids are written. */
export type UuidForm = 'text' | 'structured';

/** One event. `created` goes out in ticks of 100 ns since 1970, as EventStoreDB does. */
export function eventResponse(event: StoredEvent, uuidForm: UuidForm): ReadResp {
  const position = String(event.position);
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent();
  recorded
    .setId(uuidMessage(event.id, uuidForm))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', `${event.created}0000`);
  const read = new streamsPb.ReadResp.ReadEvent();
  read.setEvent(recorded).setCommitPosition(position);
  return new streamsPb.ReadResp().setEvent(read);
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
