import { describe, expect, it } from 'vitest';
import { decideAppend, type StreamView } from './append-decision.ts';
import { NO_STREAM } from './events.ts';

/** A stream whose events have these ids, at positions ten times their revisions. */
function streamOf(...ids: string[]): StreamView {
  return {
    current: ids.length - 1,
    find: (id, revision) => {
      const found = ids.indexOf(id);
      if (found === NO_STREAM || (revision !== null && revision !== found)) return null;
      return { revision: found, position: found * 10 };
    },
  };
}

const append = { kind: 'append' };
const refused = { kind: 'wrong-expected-revision' };
const repeated = (revision: number) => ({
  kind: 'already-appended',
  last: { revision, position: revision * 10 },
});

describe('decideAppend', () => {
  it.each([
    ['any', ['x'], streamOf(), append],
    ['any', ['x'], streamOf('a'), append],
    ['any', [], streamOf('a'), append],
    ['any', ['a'], streamOf('a', 'b'), repeated(0)],
    ['any', ['a', 'b'], streamOf('a', 'b'), repeated(1)],
    ['any', ['a', 'x'], streamOf('a', 'b'), refused],
    ['any', ['x', 'a'], streamOf('a', 'b'), append],
    ['stream_exists', ['x'], streamOf(), refused],
    ['stream_exists', ['x'], streamOf('a'), append],
    ['stream_exists', ['a'], streamOf('a'), repeated(0)],
    ['no_stream', ['x'], streamOf(), append],
    ['no_stream', ['x'], streamOf('a'), refused],
    ['no_stream', ['a', 'b'], streamOf('a', 'b', 'c'), repeated(1)],
    ['no_stream', ['a', 'x'], streamOf('a', 'b'), refused],
    ['no_stream', ['b'], streamOf('a', 'b'), refused],
    [0, ['x'], streamOf('a'), append],
    [0, ['b'], streamOf('a', 'b'), repeated(1)],
    [0, ['a'], streamOf('a', 'b'), refused],
    [0, ['b', 'c', 'x'], streamOf('a', 'b', 'c'), refused],
    [0, [], streamOf('a', 'b'), refused],
    [1, ['x'], streamOf('a'), refused],
    [0, ['x'], streamOf(), refused],
  ] as const)('expecting %s with %j', (expected, ids, stream, decision) => {
    expect(decideAppend(expected, ids, stream)).toEqual(decision);
  });
});
