import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import type { Access, Caller } from '../access/access.ts';
import type { AppendQueue } from '../storage/append-queue.ts';
import type { AppendRequest, AppendResult } from '../storage/events.ts';
import { ExpiredError } from '../storage/faults.ts';
import {
  appendableNameOf,
  expectedOfAppend,
  lateAppend,
  Proposal,
  revisionText,
  UNFINISHED_MS_MAX,
} from './append.codec.ts';
import { sharedPb, streamsPb } from './protocol.ts';
import { asRpcError, invalidArgument } from './rpc-error.ts';
import { requireValidText } from './text.ts';

type Call = ServerReadableStream<AppendReq, AppendResp>;

/** `expectedText` is the revision as it was sent, which may have more digits than a number. */
type UnaryRequest = AppendRequest & { expectedText: string };

/** Append: the options first, then one message for each event, one answer at the end. */
export function appendHandler(queue: AppendQueue, access: Access) {
  return async (call: Call, callback: sendUnaryData<AppendResp>): Promise<void> => {
    const deadline = deadlineOf(call);
    const late = setTimeout(() => call.destroy(lateAppend()), UNFINISHED_MS_MAX);
    try {
      const request = await collect(call, access.caller(call.metadata), deadline);
      clearTimeout(late);
      const result = await queue.append(request, deadline);
      callback(null, appendResponse(request, result));
    } catch (error) {
      clearTimeout(late);
      // A cancelled call has no answer.
      if (!call.cancelled) callback(asRpcError(error));
    }
  };
}

async function collect(call: Call, caller: Caller, deadline: number): Promise<UnaryRequest> {
  let header: Omit<UnaryRequest, 'events'> | null = null;
  const proposal = new Proposal();
  for await (const message of call as AsyncIterable<AppendReq>) {
    // Before any other check, as in EventStoreDB.
    if (deadline <= Date.now()) throw new ExpiredError('the deadline had passed');
    requireValidText(message);
    const options = message.getOptions();
    const event = message.getProposedMessage();
    if (options !== undefined && header === null) {
      const stream = appendableNameOf(options.getStreamIdentifier());
      caller.require('write', stream);
      const expected = expectedOfAppend(options);
      header = { stream, expected, expectedText: options.getRevision() };
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

function appendResponse(request: UnaryRequest, result: AppendResult): AppendResp {
  const response = new streamsPb.AppendResp();
  if (result.kind === 'wrong-expected-revision') {
    return response.setWrongExpectedVersion(wrongExpectedVersion(request, result.current));
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

/** The fields ending in 2060 are for clients before 20.6.1. */
function wrongExpectedVersion(
  { expected, expectedText }: UnaryRequest,
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
      return wrong.setExpectedRevision2060(expected).setExpectedRevision(expectedText);
  }
}
