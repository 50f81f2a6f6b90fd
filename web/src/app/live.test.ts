import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TAGS } from './api.ts';
import { userRead } from './base-query.ts';
import { endedSignIn } from './ended-sign-in.ts';
import { changedTags, listen } from './live.ts';

/** The browser's EventSource does not exist here; this one does what its test says. */
class TestSource {
  static readonly opened: TestSource[] = [];
  onopen: () => void = () => {};
  onerror: () => void = () => {};
  onmessage: (message: { data: string }) => void = () => {};
  isClosed = false;
  readonly url: string;
  constructor(url: string) {
    this.url = url;
    TestSource.opened.push(this);
  }
  close() {
    this.isClosed = true;
  }
}

let end: AbortController;
/** The server's answer to a check of the stream; without an answer it is unreachable. */
let status: number | null;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', TestSource);
  status = null;
  userRead.position = undefined;
  vi.stubGlobal('fetch', async () => {
    if (status === null) throw new TypeError('Failed to fetch');
    return new Response(null, { status });
  });
  TestSource.opened.length = 0;
  end = new AbortController();
});
afterEach(() => {
  end.abort();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function listening() {
  const heard: unknown[] = [];
  listen((message) => heard.push(message), end.signal);
  const newest = () => TestSource.opened.at(-1) as TestSource;
  return { heard, newest };
}

describe('a page that listens', () => {
  it('handles the features that the server names, and reads nothing again just because the stream opens', () => {
    const { heard, newest } = listening();
    newest().onopen();
    expect(heard).toEqual([]);
    newest().onmessage({ data: '{"changed":["agents"]}' });
    expect(heard).toEqual([['agents']]);
  });

  it("receives the changes since the page's first read, and refreshes everything after a lost connection", async () => {
    userRead.position = 'C7-P7';
    const { newest } = listening();
    expect(newest().url).toBe('/api/events?since=C7-P7');
    newest().onerror();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(newest().url).toBe('/api/events');
  });

  it('reads everything again when the stream opens later than the server remembers', () => {
    const { heard, newest } = listening();
    vi.advanceTimersByTime(CHANGES_REACH_BACK_MS);
    newest().onopen();
    expect(heard).toEqual([TAGS]);
  });

  it('connects again after a loss, more and more slowly, and reads all again then', async () => {
    const { heard, newest } = listening();
    newest().onopen();
    newest().onerror();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(TestSource.opened).toHaveLength(2);
    newest().onerror();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(TestSource.opened).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(TestSource.opened).toHaveLength(3);
    expect(TestSource.opened.slice(0, 2).every(({ isClosed }) => isClosed)).toBe(true);
    newest().onopen();
    expect(heard).toEqual([['identity'], { lost: true }, TAGS, { lost: false }]);
  });

  it('does not report a connection that is back at once, but checks the sign-in', async () => {
    const { heard, newest } = listening();
    newest().onerror();
    await vi.advanceTimersByTimeAsync(1_000);
    newest().onopen();
    expect(heard).toEqual([['identity'], TAGS]);
  });

  it('polls while the server has no room for another stream, and calls no connection lost', async () => {
    const { heard, newest } = listening();
    status = 429;
    newest().onerror();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual([TAGS]);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(TestSource.opened).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    newest().onerror();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(TestSource.opened).toHaveLength(3);
    newest().onopen();
    expect(heard).toEqual([TAGS, TAGS, TAGS]);
  });

  it('waits while no user is signed in', async () => {
    const leave = endedSignIn.watch();
    const { newest } = listening();
    newest().onerror();
    void endedSignIn.askAgain();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(TestSource.opened).toHaveLength(1);
    endedSignIn.signedIn();
    await vi.advanceTimersByTimeAsync(0);
    expect(TestSource.opened).toHaveLength(2);
    leave();
  });

  it('checks the sign-in when it ended again before the stream was back, but not after a user declined', async () => {
    const leave = endedSignIn.watch();
    const { heard, newest } = listening();
    newest().onopen();
    status = 401;
    const refused = async () => {
      newest().onerror();
      await vi.advanceTimersByTimeAsync(0);
    };
    await refused();
    void endedSignIn.askAgain();
    endedSignIn.signedIn();
    await vi.advanceTimersByTimeAsync(1_000);
    await refused();
    expect(heard).toEqual([['identity'], ['identity']]);
    void endedSignIn.askAgain();
    endedSignIn.giveUp();
    await vi.advanceTimersByTimeAsync(2_000);
    await refused();
    expect(heard).toHaveLength(2);
    status = 200;
    await vi.advanceTimersByTimeAsync(30_000);
    newest().onopen();
    expect(heard.slice(2)).toEqual([TAGS]);
    leave();
  });

  it('ends with its signal', () => {
    const { newest } = listening();
    end.abort();
    expect(newest().isClosed).toBe(true);
    newest().onerror();
    vi.advanceTimersByTime(60_000);
    expect(TestSource.opened).toHaveLength(1);
  });
});

describe('a message of the server', () => {
  it('names the changed features; unknown or unreadable data is ignored', () => {
    expect(changedTags('{"changed":["tasks","no such thing"]}')).toEqual(['tasks']);
    expect(changedTags('{"changed":["all"]}')).toBe(TAGS);
    for (const message of ['', '[]', 'null', '{"changed":"tasks"}']) {
      expect(changedTags(message)).toEqual([]);
    }
  });
});
