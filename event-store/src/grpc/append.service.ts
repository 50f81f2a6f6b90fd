import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import type { Access, Caller } from '../access/access.ts';
import type { AppendQueue } from '../storage/append-queue.ts';
import type { AppendRequest, AppendResult, ExpectedRevision } from '../storage/events.ts';
import { appendableNameOf, expectedOfAppend, Proposal, revisionText } from './append.codec.ts';
import { sharedPb, streamsPb } from './protocol.ts';
import { asRpcError, invalidArgument } from './rpc-error.ts';

type Call = ServerReadableStream<AppendReq, AppendResp>;

/** Append: the options first, then one message for each event, one answer at the end. */
export function appendHandler(queue: AppendQueue, access: Access) {
  return async (call: Call, callback: sendUnaryData<AppendResp>): Promise<void> => {
    try {
      const request = await collect(call, await access.caller(call.metadata));
      const result = await queue.append(request, deadlineOf(call));
      callback(null, appendResponse(request.expected, result));
    } catch (error) {
      // Nobody waits for the answer to a cancelled call.
      if (!call.cancelled) callback(asRpcError(error));
    }
  };
}

async function collect(call: Call, caller: Caller): Promise<AppendRequest> {
  let header: Omit<AppendRequest, 'events'> | null = null;
  const proposal = new Proposal();
  for await (const message of call as AsyncIterable<AppendReq>) {
    const options = message.getOptions();
    const event = message.getProposedMessage();
    if (options !== undefined && header === null) {
      const stream = appendableNameOf(options.getStreamIdentifier());
      caller.require('write', stream);
      header = { stream, expected: expectedOfAppend(options) };
    } else if (event !== undefined && header !== null) {
      proposal.add(event);
    } else {
      throw invalidArgument('an append begins with its options, events follow');
    }
  }
  if (header === null) throw invalidArgument('an append begins with its options');
  return { ...header, events: proposal.events };
}

function deadlineOf(call: Call): number {
  const deadline = call.getDeadline();
  return deadline instanceof Date ? deadline.getTime() : deadline;
}

function appendResponse(expected: ExpectedRevision, result: AppendResult): AppendResp {
  const response = new streamsPb.AppendResp();
  if (result.kind === 'wrong-expected-revision') {
    return response.setWrongExpectedVersion(wrongExpectedVersion(expected, result.current));
  }
  const success = new streamsPb.AppendResp.Success();
  const revision = revisionText(result.revision);
  if (revision === null) success.setNoStream(new sharedPb.Empty());
  else success.setCurrentRevision(revision);
  if (result.position === null) {
    success.setNoPosition(new sharedPb.Empty());
  } else {
    const position = new streamsPb.AppendResp.Position();
    position.setCommitPosition(String(result.position));
    position.setPreparePosition(String(result.position));
    success.setPosition(position);
  }
  return response.setSuccess(success);
}

/** The fields ending in 2060 are what clients before 20.6.1 read. */
function wrongExpectedVersion(
  expected: ExpectedRevision,
  current: number,
): AppendResp.WrongExpectedVersion {
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  const empty = new sharedPb.Empty();
  const revision = revisionText(current);
  if (revision === null) wrong.setNoStream2060(empty).setCurrentNoStream(empty);
  else wrong.setCurrentRevision2060(current).setCurrentRevision(revision);
  switch (expected) {
    case 'any':
      return wrong.setAny2060(empty).setExpectedAny(empty);
    case 'stream_exists':
      return wrong.setStreamExists2060(empty).setExpectedStreamExists(empty);
    case 'no_stream':
      return wrong.setExpectedNoStream(empty);
    default:
      return wrong.setExpectedRevision2060(expected).setExpectedRevision(String(expected));
  }
}
