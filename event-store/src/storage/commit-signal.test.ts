import { describe, expect, it } from 'vitest';
import { CommitSignal } from './commit-signal.ts';

describe('CommitSignal', () => {
  it('wakes the followers of the stream and of $all', async () => {
    const commits = new CommitSignal();
    const { signal } = new AbortController();
    const followers = [commits.follow('a'), commits.follow(null)];
    const woken = followers.map((follower) => follower.news(signal));
    commits.announce(['a']);
    await Promise.all(woken);
  });

  it('remembers a commit that came while no one was waiting, once', async () => {
    const commits = new CommitSignal();
    const follower = commits.follow('a');
    commits.announce(['a', 'b']);
    await follower.news(new AbortController().signal);
    const ended = new AbortController();
    let isAwake = false;
    const next = follower.news(ended.signal).then(() => {
      isAwake = true;
    });
    commits.announce(['b']);
    await Promise.resolve();
    expect(isAwake).toBe(false);
    ended.abort();
    await next;
    expect(isAwake).toBe(true);
  });

  it('forgets a follower that has gone', async () => {
    const commits = new CommitSignal();
    const follower = commits.follow('a');
    follower[Symbol.dispose]();
    commits.announce(['a']);
    const ended = new AbortController();
    let isAwake = false;
    const news = follower.news(ended.signal).then(() => {
      isAwake = true;
    });
    await Promise.resolve();
    expect(isAwake).toBe(false);
    ended.abort();
    await news;
  });
});
