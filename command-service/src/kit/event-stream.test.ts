import Fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventStream, wantsEvents } from './event-stream.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** What a caller receives from this answer. */
async function answerOf(make: (events: ReturnType<typeof eventStream>) => Promise<void> | void) {
  const app = Fastify();
  app.get('/', async (_request, reply) => {
    const events = eventStream(reply, () => reply.header('opened', 'yes'));
    await make(events);
    events.end();
    return events.isOpen ? reply : reply.code(409).send('refused');
  });
  const answer = await app.inject('/');
  await app.close();
  return answer;
}

describe('an event stream', () => {
  it('sends events one after the other, and may set headers when it opens', async () => {
    const { statusCode, headers, body } = await answerOf((events) => {
      events.send('started', { a: 1 });
      events.send('reply', { text: 'two\nlines' }, '7/8');
    });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ opened: 'yes', 'x-accel-buffering': 'no' });
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    expect(body).toBe(
      'event: started\ndata: {"a":1}\n\n' +
        'id: 7/8\nevent: reply\ndata: {"text":"two\\nlines"}\n\n',
    );
  });

  it('is not open before its first event, so that the answer can still be another', async () => {
    const { statusCode, headers, body } = await answerOf(() => {});
    expect([statusCode, headers.opened, body]).toEqual([409, undefined, 'refused']);
  });

  it('sends comments while there are no events, and ends afterwards', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { body } = await answerOf((events) => {
      events.send('started', {});
      vi.advanceTimersByTime(31_000);
      events.end();
      vi.advanceTimersByTime(31_000);
    });
    expect(body.match(/^: /gm)).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a caller', () => {
  it.each([
    ['text/event-stream', true],
    ['application/json, Text/Event-Stream;q=0.9', true],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('with Accept %s requests events: %s', (accept, expected) => {
    const request = { headers: { accept } } as Parameters<typeof wantsEvents>[0];
    expect(wantsEvents(request)).toBe(expected);
  });
});
