import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from './event-source.ts';

const parsed = (pieces: readonly string[]) => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
};

/** What the usual parser makes of the same text. */
function judged(text: string) {
  const events: { event: string; data: string }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ event: event || 'message', data }),
  });
  parser.feed(text);
  return events;
}

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    ':',
    ': still here',
    'data',
    'data:',
    'event: text',
    'event:',
    'retry: 5',
  ),
  fc.constantFrom('data: {"a":1}', 'data:x', 'data:  two', 'id: C1-P1', 'datas: no', 'unknown'),
  fc.string().map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
);

describe('EventParser', () => {
  it('reads what the usual parser reads, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))),
        fc.array(fc.nat({ max: 400 })),
        (lines, cuts) => {
          const text = `${lines.flat().join('')}\n\n`;
          const places = [0, ...cuts.map((cut) => cut % text.length).toSorted((a, b) => a - b)];
          const pieces = places.map((place, index) => text.slice(place, places[index + 1]));
          const events = parsed(pieces).map(({ event, data }) => ({ event, data }));
          expect(events).toEqual(judged(text));
        },
      ),
    );
  });

  it('leaves out a byte order mark, and keeps the id for the events after it', () => {
    expect(parsed(['\uFEFFid: C1-P1\ndata: 1\n\n', 'data: 2\n\n'])).toEqual([
      { event: 'message', data: '1', id: 'C1-P1' },
      { event: 'message', data: '2', id: 'C1-P1' },
    ]);
  });

  it('refuses an event without an end', () => {
    const parser = new EventParser();
    const endless = () => {
      for (;;) [...parser.push(`data: ${'x'.repeat(1024 * 1024)}\n`)];
    };
    expect(endless).toThrow('An event is longer than');
  });

  it('refuses a line without an end', () => {
    const parser = new EventParser();
    const endless = () => {
      for (;;) [...parser.push('x'.repeat(1024 * 1024))];
    };
    expect(endless).toThrow('An event is longer than');
  });
});
