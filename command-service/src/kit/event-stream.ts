import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

const EVENTS_TYPE = 'text/event-stream';
const HEARTBEAT_MS = 15_000;
/** A caller that does not read is let go. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** An answer that is streamed while it is generated, as server-sent events. */
export type EventStream = {
  /** The first event opens the answer: its status and headers are final. */
  readonly isOpen: boolean;
  /** `data` becomes JSON. Does nothing when the caller has gone away. */
  send(event: string, data: unknown, id?: string): void;
  end(): void;
};

/** Whether the caller requests events. */
export const wantsEvents = ({ headers }: FastifyRequest) =>
  (headers.accept ?? '')
    .split(',')
    .some((type) => type.split(';')[0]?.trim().toLowerCase() === EVENTS_TYPE);

/** `onOpen` may still set headers. */
export function eventStream(reply: FastifyReply, onOpen: () => void): EventStream {
  const body = new PassThrough();
  let isOpen = false;
  let beating: NodeJS.Timeout | undefined;

  function write(text: string) {
    if (body.destroyed || body.writableEnded) return;
    if (body.writableLength + body.readableLength > BUFFERED_BYTES_MAX) reply.raw.destroy();
    else body.write(text);
  }

  function open() {
    isOpen = true;
    onOpen();
    // A caller that leaves closes the body, which is no fault.
    body.on('error', () => {});
    body.once('close', () => clearInterval(beating));
    beating = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
    reply.code(200).header('x-accel-buffering', 'no').type(EVENTS_TYPE).send(body);
  }

  return {
    get isOpen() {
      return isOpen;
    },
    send(event, data, id) {
      if (!isOpen) open();
      const name = id === undefined ? `event: ${event}` : `id: ${id}\nevent: ${event}`;
      write(`${name}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    end() {
      clearInterval(beating);
      if (!body.destroyed) body.end();
    },
  };
}
