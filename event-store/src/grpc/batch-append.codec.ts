import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import type { AppendResult, ExpectedRevision } from '../storage/events.ts';
import { ExpiredError } from '../storage/faults.ts';
import { APPEND_BYTES_MAX, revisionText } from './append.codec.ts';
import { anyPb, codePb, emptyPb, sharedPb, statusPb, streamsPb } from './protocol.ts';
import { asRpcError } from './rpc-error.ts';

/** The fields of the request that every answer repeats. */
export type Echo = { correlationId: UUID | undefined; options: BatchAppendReq.Options | undefined };

export function batchResult(
  echo: Echo,
  expected: ExpectedRevision,
  result: AppendResult,
): BatchAppendResp {
  const response = echoing(echo);
  if (result.kind === 'wrong-expected-revision') {
    return response.setError(wrongExpectedVersion(echo, expected, result.current));
  }
  const success = new streamsPb.BatchAppendResp.Success();
  const revision = revisionText(result.revision);
  if (revision === null) success.setNoStream(new emptyPb.Empty());
  else success.setCurrentRevision(revision);
  if (result.position === null) {
    success.setNoPosition(new emptyPb.Empty());
  } else {
    const position = new sharedPb.AllStreamPosition();
    position.setCommitPosition(String(result.position));
    position.setPreparePosition(String(result.position));
    success.setPosition(position);
  }
  return response.setSuccess(success);
}

/** A refusal of one append; the others of the same call continue. */
export function batchError(echo: Echo, error: unknown): BatchAppendResp {
  const { Code } = codePb;
  if (error instanceof ExpiredError) {
    const details = pack(new sharedPb.Timeout(), 'Timeout');
    return echoing(echo).setError(failure(Code.DEADLINE_EXCEEDED, 'Timeout', details));
  }
  const { code, details: message, metadata } = asRpcError(error);
  if (metadata.get('exception')[0] === 'maximum-append-size-exceeded') {
    const exceeded = new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(APPEND_BYTES_MAX);
    const details = pack(exceeded, 'MaximumAppendSizeExceeded');
    return echoing(echo).setError(failure(Code.INVALID_ARGUMENT, message, details));
  }
  if (code === status.PERMISSION_DENIED) {
    const details = pack(new sharedPb.AccessDenied(), 'AccessDenied');
    return echoing(echo).setError(failure(Code.PERMISSION_DENIED, message, details));
  }
  if (code === status.INVALID_ARGUMENT) {
    const details = pack(new sharedPb.BadRequest().setMessage(message), 'BadRequest');
    return echoing(echo).setError(failure(Code.INVALID_ARGUMENT, message, details));
  }
  const details = pack(new sharedPb.Unknown(), 'Unknown');
  return echoing(echo).setError(failure(Code.UNKNOWN, message, details));
}

function echoing({ correlationId, options }: Echo): BatchAppendResp {
  const response = new streamsPb.BatchAppendResp();
  const identifier: StreamIdentifier =
    options?.getStreamIdentifier() ?? new sharedPb.StreamIdentifier();
  response.setCorrelationId(correlationId).setStreamIdentifier(identifier);
  if (options === undefined) return response;
  const { ExpectedStreamPositionCase: Case } = streamsPb.BatchAppendReq.Options;
  switch (options.getExpectedStreamPositionCase()) {
    case Case.STREAM_POSITION:
      return response.setStreamPosition(options.getStreamPosition());
    case Case.NO_STREAM:
      return response.setNoStream(new emptyPb.Empty());
    case Case.STREAM_EXISTS:
      return response.setStreamExists(new emptyPb.Empty());
    default:
      return response.setAny(new emptyPb.Empty());
  }
}

function wrongExpectedVersion(
  { options }: Echo,
  expected: ExpectedRevision,
  current: number,
): Status {
  const wrong = new sharedPb.WrongExpectedVersion();
  const empty = new emptyPb.Empty();
  const revision = revisionText(current);
  if (revision === null) wrong.setCurrentNoStream(empty);
  else wrong.setCurrentStreamRevision(revision);
  if (expected === 'any') wrong.setExpectedAny(empty);
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(empty);
  else if (expected === 'no_stream') wrong.setExpectedNoStream(empty);
  else wrong.setExpectedStreamPosition(options?.getStreamPosition() ?? String(expected));
  const details = pack(wrong, 'WrongExpectedVersion');
  return failure(codePb.Code.ALREADY_EXISTS, 'WrongExpectedVersion', details);
}

type AnyMessage = InstanceType<typeof anyPb.Any>;

function failure(
  code: Parameters<Status['setCode']>[0],
  message: string,
  details: AnyMessage,
): Status {
  return new statusPb.Status().setCode(code).setMessage(message).setDetails(details);
}

function pack(message: { serializeBinary(): Uint8Array }, type: string): AnyMessage {
  const any = new anyPb.Any();
  any.pack(message.serializeBinary(), `event_store.client.${type}`);
  return any;
}
