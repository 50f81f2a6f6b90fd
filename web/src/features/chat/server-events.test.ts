import { describe, expect, it } from 'vitest';
import { type ServerEvent, serverEvents } from './server-events.ts';

function read(...pieces: readonly string[]): ServerEvent[] {
  const seen: ServerEvent[] = [];
  const add = serverEvents((event) => seen.push(event));
  for (const piece of pieces) add(piece);
  return seen;
}

const text =
  'event: started\ndata: {"a":1}\n\n: still here\n\nid: 7\nevent: text\ndata: {"b":2}\n\n';
const events = [
  { event: 'started', data: '{"a":1}' },
  { event: 'text', data: '{"b":2}' },
];

describe('serverEvents', () => {
  it('tells each event, and no comment', () => {
    expect(read(text)).toEqual(events);
  });
  it('does so however the stream is cut', () => {
    for (let at = 0; at <= text.length; at += 1) {
      expect(read(text.slice(0, at), text.slice(at))).toEqual(events);
    }
    expect(read(...text)).toEqual(events);
  });
  it('waits for the end of an event', () => {
    expect(read('event: text\ndata: 1\n')).toEqual([]);
  });
  it('joins lines of data, and takes events without a name', () => {
    expect(read('data: one\ndata: two\n\n')).toEqual([{ event: 'message', data: 'one\ntwo' }]);
  });
});
