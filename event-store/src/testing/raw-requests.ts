import { randomUUID } from 'node:crypto';
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { emptyPb, sharedPb, streamsPb } from '../grpc/protocol.ts';

const { Options } = streamsPb.ReadReq;
type Place = { revision?: string; position?: string; isSubscription?: boolean };

export function streamIdentifier(name: string | Uint8Array) {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(name as string));
}

export function appendOptions(
  stream: string | Uint8Array,
  setExpected = (options: AppendReq.Options) => options.setAny(new sharedPb.Empty()),
): AppendReq {
  const options = new streamsPb.AppendReq.Options();
  setExpected(options.setStreamIdentifier(streamIdentifier(stream)));
  return new streamsPb.AppendReq().setOptions(options);
}

export function appendEvent(data: Uint8Array, type = 'Raw'): AppendReq {
  const event = new streamsPb.AppendReq.ProposedMessage();
  event.setId(new sharedPb.UUID().setString(randomUUID())).setData(data);
  event.getMetadataMap().set('type', type).set('content-type', 'application/octet-stream');
  return new streamsPb.AppendReq().setProposedMessage(event);
}

export function batchOptions(stream: string | Uint8Array): BatchAppendReq.Options {
  const options = new streamsPb.BatchAppendReq.Options();
  return options.setStreamIdentifier(streamIdentifier(stream)).setAny(new emptyPb.Empty());
}

/** An append of one event, complete unless `isFinal` is false. */
export function batchMessage(
  options: BatchAppendReq.Options,
  data: Uint8Array,
  { isFinal = true, type = 'Raw', id = randomUUID() as string } = {},
): BatchAppendReq {
  const event = new streamsPb.BatchAppendReq.ProposedMessage();
  event.setId(new sharedPb.UUID().setString(randomUUID())).setData(data);
  event.getMetadataMap().set('type', type).set('content-type', 'application/octet-stream');
  return new streamsPb.BatchAppendReq()
    .setCorrelationId(new sharedPb.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList([event])
    .setIsFinal(isFinal);
}

/** A read of a stream, forwards, of all there is. */
export function readStream(name: string | Uint8Array, { revision }: Place = {}) {
  const stream = new Options.StreamOptions().setStreamIdentifier(streamIdentifier(name));
  if (revision === undefined) stream.setStart(new sharedPb.Empty());
  else stream.setRevision(revision);
  return requestOf(new Options().setStream(stream).setNoFilter(new sharedPb.Empty()), {});
}

/** A read of $all, or a subscription to it, with a filter by the type of events. */
export function readAllWith(
  filter: { prefixes?: string[]; regex?: string } | null,
  { position, isSubscription = false }: Place = {},
) {
  const all = new Options.AllOptions();
  if (position === undefined) all.setStart(new sharedPb.Empty());
  else {
    const place = new Options.Position();
    all.setPosition(place.setCommitPosition(position).setPreparePosition(position));
  }
  const options = new Options().setAll(all);
  if (filter === null)
    return requestOf(options.setNoFilter(new sharedPb.Empty()), { isSubscription });
  const { prefixes = [], regex = '' } = filter;
  const expression = new Options.FilterOptions.Expression().setRegex(regex).setPrefixList(prefixes);
  const filterOptions = new Options.FilterOptions()
    .setEventType(expression)
    .setMax(32)
    .setCheckpointintervalmultiplier(1);
  return requestOf(options.setFilter(filterOptions), { isSubscription });
}

function requestOf(
  options: InstanceType<typeof Options>,
  { isSubscription = false }: Pick<Place, 'isSubscription'>,
) {
  if (isSubscription) options.setSubscription(new Options.SubscriptionOptions());
  else options.setCount(String(Number.MAX_SAFE_INTEGER));
  options.setUuidOption(new Options.UUIDOption().setString(new sharedPb.Empty()));
  return new streamsPb.ReadReq().setOptions(options);
}
