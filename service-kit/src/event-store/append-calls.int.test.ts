import { EventStoreDBClient } from '@eventstore/db-client';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { sharedPb, streamsGrpc, streamsPb } from '@tallyhand/event-store/grpc/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../crypto/ids.ts';
import { type AppendCalls, appendCalls, UnansweredError } from './append-calls.ts';
import { openEventLog } from './event-log.ts';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;
type Asked = { readonly call: Call; readonly request: BatchAppendReq };

/** A server that accepts appends, and answers as each test directs. */
let asked: Asked[];
let calls: Set<Call>;
let url: string;
let opened: AsyncDisposableStack;

beforeEach(async () => {
  asked = [];
  calls = new Set();
  opened = new AsyncDisposableStack();
  const server = new Server();
  const unused = () => {};
  server.addService(streamsGrpc.StreamsService, {
    append: unused,
    read: unused,
    delete: unused,
    tombstone: unused,
    batchAppend(call: Call) {
      calls.add(call);
      call.on('data', (request: BatchAppendReq) => asked.push({ call, request }));
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  opened.defer(() => server.forceShutdown());
  url = `esdb://127.0.0.1:${port}?tls=false`;
});
afterEach(() => opened.disposeAsync());

function newCalls(answerMsMax?: number): AppendCalls {
  const client = EventStoreDBClient.connectionString(url);
  opened.defer(() => client.dispose());
  return appendCalls(client, answerMsMax);
}

const happened = () => ({
  id: newId(),
  type: 'Happened',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
});
const append = (by: AppendCalls, stream = 'stream') => by.append(stream, [happened()], 'no_stream');

const reached = (count: number) => vi.waitFor(() => expect(asked).toHaveLength(count));

function answer({ call, request }: Asked, id = request.getCorrelationId()): void {
  const position = new sharedPb.AllStreamPosition();
  position.setCommitPosition('7').setPreparePosition('7');
  const success = new streamsPb.BatchAppendResp.Success();
  success.setCurrentRevision('0').setPosition(position);
  call.write(new streamsPb.BatchAppendResp().setCorrelationId(id).setSuccess(success));
}

const done = { revision: 0n, position: { commit: 7n, prepare: 7n } };
const at = (index: number) => asked[index] as Asked;
/** Two concurrent requests may arrive in either order. */
const of = (name: string) =>
  asked.find(
    ({ request }) =>
      request.getOptions()?.getStreamIdentifier()?.getStreamName_asB64() === btoa(name),
  ) as Asked;

describe('appends with separate calls', () => {
  it('have their own answers, in any order of arrival', async () => {
    const by = newCalls();
    const appends = Promise.allSettled([append(by, 'first'), append(by, 'second')]);
    await reached(2);
    expect(calls.size).toBe(1);
    const id = of('second').request.getCorrelationId();
    of('second').call.write(new streamsPb.BatchAppendResp().setCorrelationId(id));
    answer(of('first'));
    expect(await appends).toMatchObject([
      { value: done },
      { reason: { message: 'The event store answered without a result' } },
    ]);
  });

  it('are not refused when another call breaks', async () => {
    const mine = append(newCalls(), 'mine');
    const other = expect(append(newCalls(), 'other')).rejects.toThrow('gone');
    await reached(2);
    of('other').call.emit('error', { code: status.UNAVAILABLE, details: 'gone' });
    await other;
    answer(of('mine'));
    await expect(mine).resolves.toEqual(done);
  });

  it('continue after an answer that no append waits for', async () => {
    const by = newCalls();
    const first = append(by);
    await reached(1);
    answer(at(0), new sharedPb.UUID().setString(newId()));
    answer(at(0));
    await expect(first).resolves.toEqual(done);
    answer(at(0));
    const second = append(by);
    await reached(2);
    answer(at(1));
    await expect(second).resolves.toEqual(done);
    expect(calls.size).toBe(1);
  });

  it('report when the server ends the call, or does not answer', async () => {
    const ended = append(newCalls());
    await reached(1);
    at(0).call.end();
    await expect(ended).rejects.toThrow(UnansweredError);
    const by = newCalls(500);
    await expect(append(by)).rejects.toThrow(UnansweredError);
    const next = append(by);
    await reached(3);
    expect(at(2).call).not.toBe(at(1).call);
    answer(at(2));
    await expect(next).resolves.toEqual(done);
  });
});

describe('an event log', () => {
  it('sends unanswered appends again, with the same ids', async () => {
    const log = openEventLog(url);
    opened.defer(() => log.close());
    const envelope = { schemaVersion: 1 } as Parameters<typeof log.append>[1][0]['envelope'];
    const event = { id: newId(), type: 'Happened', data: { a: 1 }, envelope };
    const appended = log.append('stream', [event], null);
    await reached(1);
    at(0).call.end();
    await reached(2);
    answer(at(1));
    await expect(appended).resolves.toEqual(done);
    const [first, again] = asked.map(({ request }) => request.getProposedMessagesList());
    expect(again).toEqual(first);
    expect(first?.[0]?.getId()?.getString()).toBe(event.id);
  });
});
