import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CommandPeer, commandPeer, testRunner } from '../testing/command-peer.ts';
import { finish, note, open, scriptedPlanner } from '../testing/scripted-planner.ts';
import { assignmentOf, inShort } from '../testing/session.ts';

const PAGE = 'https://shop.example/';
let peer: CommandPeer;

beforeEach(async () => {
  peer = await commandPeer();
});
afterEach(() => peer[Symbol.asyncDispose]());

const lastPoll = () => [...peer.polls.values()].at(-1);

describe('a runner', () => {
  it('runs its sessions to their end', async () => {
    await using _ = await testRunner(peer, scriptedPlanner(open(PAGE), finish()));
    peer.assign(assignmentOf());
    await vi.waitUntil(() => peer.ends.length === 1);
    expect(peer.steps.map(inShort)).toEqual([`open ${PAGE}`, 'finish All was looked at.']);
    expect(peer.ends).toEqual([{ reason: 'goal-reached', error: null }]);
    await vi.waitUntil(() => lastPoll()?.free === 4);
  });

  it("that listens on all addresses announces its machine's name, or the configured one", async () => {
    await using everywhere = await testRunner(peer, scriptedPlanner(), { host: '0.0.0.0' });
    expect(everywhere.runner.address).toMatch(new RegExp(`^http://${hostname()}:\\d+$`));
    const advertisedUrl = 'http://10.0.0.7:8080';
    await using reported = await testRunner(peer, scriptedPlanner(), {
      host: '0.0.0.0',
      advertisedUrl,
    });
    expect(reported.runner.address).toBe(advertisedUrl);
  });

  it('sends nothing that cannot be stored', async () => {
    const planner = scriptedPlanner(note('A null \0 and half a \ud83d character'), finish());
    await using _ = await testRunner(peer, planner);
    peer.assign(assignmentOf());
    await vi.waitUntil(() => peer.ends.length === 1);
    expect(peer.steps[0]?.finding?.text).toBe('A null \ufffd and half a \ufffd character');
  });

  it('runs a limited number at once', async () => {
    await using test = await testRunner(peer, scriptedPlanner(), { sessionsMax: 2 });
    const sessions = [1, 2, 3].map(() => peer.assign(assignmentOf()));
    await vi.waitUntil(() => test.host.browsers.length === 2);
    await vi.waitUntil(() => lastPoll()?.held.length === 2);
    const [first] = sessions;
    peer.terminate(first?.sessionId ?? '');
    await vi.waitUntil(() => test.host.browsers.length === 3);
    expect(sessions.map(({ status }) => status)).toEqual(['terminated', 'running', 'running']);
  });

  it('stops a terminated session while the planner decides', async () => {
    await using test = await testRunner(peer);
    const { sessionId } = peer.assign(assignmentOf());
    await vi.waitUntil(() => test.planner.asked.length === 1);
    peer.terminate(sessionId);
    await vi.waitUntil(() => test.host.last.isClosed);
    expect(peer.ends).toEqual([]);
  });

  it('keeps its sessions while the command service starts again', async () => {
    const planner = scriptedPlanner(open(PAGE), finish());
    await using test = await testRunner(peer, planner);
    const browsing = Promise.withResolvers<void>();
    test.host.onAct = async () => {
      await browsing.promise;
      return { success: true, output: 'Opened.', name: null, isSecret: false };
    };
    peer.assign(assignmentOf());
    await vi.waitUntil(() => test.host.browsers[0]?.acts.length);
    await peer.stop();
    browsing.resolve();
    await peer.start();
    await vi.waitUntil(() => peer.ends.length === 1);
    expect(peer.steps.map(inShort)).toEqual([`open ${PAGE}`, 'finish All was looked at.']);
    expect(test.host.browsers).toHaveLength(1);
  });

  it('releases its sessions to others when it stops, and announces it', async () => {
    const test = await testRunner(peer);
    peer.assign(assignmentOf());
    await vi.waitUntil(() => test.planner.asked.length === 1);
    await test[Symbol.asyncDispose]();
    expect(test.host.last.isClosed).toBe(true);
    expect(peer.ends).toEqual([]);
    expect(lastPoll()).toEqual({ free: 0, held: [] });
  });
});
