import { once } from 'node:events';
import type { LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  type CommandPeer,
  commandPeer,
  PUBLIC_URL,
  type TestRunner,
  TOKEN,
  testRunner,
} from '../testing/command-peer.ts';
import { click, note, open, scriptedPlanner } from '../testing/scripted-planner.ts';
import { assignmentOf, by } from '../testing/session.ts';
import { RECHECK_MS } from './subscription.ts';

const PAGE = 'https://shop.example/';
const COOKIE = 'tallyhand=signed-in';
const NOBODY = '0198c0de-0000-7000-8000-00000000dead';

let peer: CommandPeer;
let test: TestRunner;
const clients = new Set<WebSocket>();

beforeEach(async () => {
  peer = await commandPeer();
  peer.signedIn.add(COOKIE);
  test = await testRunner(peer, scriptedPlanner(open(PAGE)));
});
afterEach(async () => {
  for (const client of clients) client.terminate();
  clients.clear();
  await test[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

type Client = {
  readonly socket: WebSocket;
  readonly heard: LiveMessage[];
  readonly closed: Promise<number>;
  say(message: unknown): void;
  of<T extends LiveMessage['type']>(type: T): Extract<LiveMessage, { type: T }>[];
  next<T extends LiveMessage['type']>(type: T): Promise<Extract<LiveMessage, { type: T }>>;
};

function connect(headers: Record<string, string> = {}, at = test): Client {
  const url = `${at.runner.address.replace('http:', 'ws:')}/ws/browser`;
  const socket = new WebSocket(url, {
    headers: { origin: PUBLIC_URL, cookie: COOKIE, ...headers },
  });
  clients.add(socket);
  const heard: LiveMessage[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(data.toString())));
  socket.on('error', () => undefined);
  const of = <T extends LiveMessage['type']>(type: T) =>
    heard.filter((message): message is Extract<LiveMessage, { type: T }> => message.type === type);
  return {
    socket,
    heard,
    of,
    closed: new Promise((resolve) => socket.on('close', resolve)),
    say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next(type) {
      await vi.waitUntil(() => of(type).length > 0);
      return of(type)[0] as never;
    },
  };
}

async function watch(sessionId: string, client = connect()): Promise<Client> {
  await once(client.socket, 'open');
  client.say({ type: 'subscribe_browser', sessionId, userId: 'user-1' });
  return client;
}

/** A session of this runner, after its first step; any signed-in member may watch. */
async function runningSession(personId = newId()) {
  const assignment = assignmentOf();
  const session = peer.assign(assignment);
  session.viewers.set(COOKIE, personId);
  await vi.waitUntil(() => peer.steps.length === 1 && test.planner.asked.length === 2);
  return { ...session, sessionId: assignment.sessionId, personId };
}

/** The newest frame is the one that was drawn as `content`. */
const shows = ({ of }: Client, content: string) => {
  const screenshot = Buffer.from(content).toString('base64');
  return vi.waitUntil(() => of('live_update').at(-1)?.screenshot === screenshot);
};

const statusOf = async ({ socket }: Client) => {
  const [, response] = await once(socket, 'unexpected-response');
  return response.statusCode;
};

describe('opening the socket', () => {
  it('is for our own pages only', async () => {
    expect(await statusOf(connect({ origin: 'https://other.example' }))).toBe(403);
    expect(await statusOf(connect({ origin: '' }))).toBe(403);
    expect(await statusOf(connect({ origin: 'null' }))).toBe(403);
    const sameHost = connect({ origin: test.runner.address });
    await once(sameHost.socket, 'open');
  });

  it('is at one address', async () => {
    const address = test.runner.address.replace('http:', 'ws:');
    const socket = new WebSocket(`${address}/ws/other`, { origin: PUBLIC_URL });
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(404);
  });
});

describe('the end of the runner', () => {
  it('closes the sockets', async () => {
    const client = connect();
    await once(client.socket, 'open');
    await test[Symbol.asyncDispose]();
    expect([1001, 1006]).toContain(await client.closed);
  });
});

describe('subscribe_browser', () => {
  it('sends the current state, then the changes', async () => {
    const { sessionId } = await runningSession();
    const client = await watch(sessionId);
    const first = await client.next('initial_state');
    expect(first).toMatchObject({ sessionId, status: 'running', url: PAGE });
    expect(first.control).toEqual({ by: 'agent', personId: null });
    expect(first.actions).toMatchObject([{ action: 'open', details: PAGE }]);
    test.host.last.draw(Buffer.from('moved'));
    await shows(client, 'moved');
    peer.terminate(sessionId);
    expect((await client.next('state')).status).toBe('terminated');
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('draws only while there are viewers', async () => {
    const { sessionId } = await runningSession();
    expect(test.host.last.watchers).toBe(0);
    const [one, other] = [await watch(sessionId), await watch(sessionId)];
    await Promise.all([one.next('initial_state'), other.next('initial_state')]);
    expect(test.host.last.watchers).toBe(1);
    one.socket.close();
    other.socket.close();
    await vi.waitUntil(() => test.host.last.watchers === 0);
  });

  it('misses nothing after a lost connection', async () => {
    await test[Symbol.asyncDispose]();
    test = await testRunner(peer, scriptedPlanner(open(PAGE), click('e1'), note('A')));
    const { sessionId, viewers } = peer.assign(assignmentOf());
    viewers.set(COOKIE, newId());
    const client = await watch(sessionId);
    await vi.waitUntil(() => test.planner.asked.length === 4);
    client.socket.terminate();
    const again = await watch(sessionId);
    const { actions } = await again.next('initial_state');
    expect(actions.map(({ action }) => action)).toEqual(['open', 'click', 'note']);
  });

  it('waits for a session in the queue, and shows it from its start', async () => {
    const assignment = assignmentOf();
    const { sessionId, viewers } = peer.add({ sessionId: assignment.sessionId, status: 'queued' });
    viewers.set(COOKIE, newId());
    const client = await watch(sessionId);
    expect((await client.next('initial_state')).status).toBe('queued');
    peer.assign(assignment);
    expect((await client.next('state')).status).toBe('running');
    expect((await client.next('action')).action).toBe('open');
  });

  it('sends the last picture of an ended session', async () => {
    const { sessionId, viewers } = peer.add({ status: 'completed' });
    viewers.set(COOKIE, newId());
    const client = await watch(sessionId);
    expect(await client.next('initial_state')).toMatchObject({
      status: 'completed',
      screenshot: 'AAAA',
      title: 'Stored',
    });
  });

  it('is refused for a foreign or unknown session, as if there were none', async () => {
    const foreign = await watch(peer.add().sessionId);
    const unknown = await watch(NOBODY);
    const [one, other] = [await foreign.next('error'), await unknown.next('error')];
    expect(one).toEqual(other);
    expect(one.code).toBe('not-found');
    expect(foreign.of('initial_state')).toEqual([]);
  });

  it('closes without a sign-in', async () => {
    const client = await watch(peer.add().sessionId, connect({ cookie: 'tallyhand=forged' }));
    expect((await client.next('error')).code).toBe('not-signed-in');
    expect(await client.closed).toBe(4401);
  });

  it('ends after signing out', async () => {
    const { sessionId } = await runningSession();
    const client = await watch(sessionId);
    await client.next('initial_state');
    peer.signedIn.delete(COOKIE);
    expect(await client.closed).toBe(4401);
    // The access is checked so often that a stream ends within five seconds.
    expect(RECHECK_MS).toBeLessThan(5_000);
  });

  it('accepts eight views of one member', async () => {
    const { sessionId } = await runningSession();
    const views = await Promise.all(Array.from({ length: 9 }, () => watch(sessionId)));
    await vi.waitUntil(() => views.filter(({ of }) => of('initial_state').length).length === 8);
    await vi.waitUntil(() => views.some(({ of }) => of('error').length));
    expect(views.flatMap(({ of }) => of('error')).map(({ code }) => code)).toEqual([
      'too-many-viewers',
    ]);
    const watching = views.find(({ of }) => of('initial_state').length);
    watching?.socket.close();
    await watching?.closed;
    const next = await watch(sessionId);
    await next.next('initial_state');
  });
});

describe('input', () => {
  it('is accepted from the member who took over, and becomes a step', async () => {
    const { sessionId, personId } = await runningSession();
    const other = 'tallyhand=other';
    peer.signedIn.add(other);
    peer.sessions.get(sessionId)?.viewers.set(other, newId());
    const [client, guest] = [
      await watch(sessionId),
      await watch(sessionId, connect({ cookie: other })),
    ];
    await Promise.all([client.next('initial_state'), guest.next('initial_state')]);
    const press = { type: 'input', kind: 'click', x: 0.5, y: 0.5 };
    client.say(press);
    expect((await client.next('error')).code).toBe('not-steering');
    peer.steer(sessionId, by(personId));
    await vi.waitUntil(() => client.of('state').some(({ control }) => control.by === 'person'));
    guest.say(press);
    expect((await guest.next('error')).code).toBe('not-steering');
    client.say(press);
    const action = await client.next('action');
    expect(action).toMatchObject({ action: 'click', details: 'Buy' });
    expect(peer.personSteps).toHaveLength(1);
    expect(await guest.next('action')).toEqual(action);
    peer.steer(sessionId, { by: 'agent', personId: null });
    await vi.waitUntil(() => test.planner.asked.length === 3);
  });

  it('is left out where it comes too fast', async () => {
    const { sessionId, personId } = await runningSession();
    const client = await watch(sessionId);
    await client.next('initial_state');
    peer.steer(sessionId, by(personId));
    await vi.waitUntil(() => client.of('state').some(({ control }) => control.by === 'person'));
    for (let i = 0; i < 60; i += 1) client.say({ type: 'input', kind: 'back' });
    expect((await client.next('error')).code).toBe('too-fast');
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('needs a session', async () => {
    const client = connect();
    await once(client.socket, 'open');
    client.say({ type: 'input', kind: 'back' });
    expect((await client.next('error')).code).toBe('not-subscribed');
  });
});

describe('an invalid message', () => {
  it.each([
    '{',
    '[]',
    '"text"',
    '{"type":"subscribe_browser"}',
    '{"type":"input","kind":"click","x":2,"y":0}',
    '{"__proto__":{"type":"input"}}',
    'null',
  ])('is an error: %s', async (garbage) => {
    const client = connect();
    await once(client.socket, 'open');
    client.say(garbage);
    expect((await client.next('error')).code).toBe('not-understood');
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('closes the socket the fifth time', async () => {
    const client = connect();
    await once(client.socket, 'open');
    for (let i = 0; i < 5; i += 1) client.say('{');
    expect(await client.closed).toBe(1008);
  });

  it('closes the socket where it is too long', async () => {
    const client = connect();
    await once(client.socket, 'open');
    client.say('x'.repeat(20_000));
    expect(await client.closed).toBe(1009);
  });

  it('closes the socket where it is a flood, and leaves others alone', async () => {
    const { sessionId } = await runningSession();
    const calm = await watch(sessionId);
    const client = await watch(sessionId);
    for (let i = 0; i < 150; i += 1) client.say({ type: 'input', kind: 'back' });
    expect(await client.closed).toBe(1008);
    test.host.last.draw(Buffer.from('still here'));
    await calm.next('live_update');
  });
});

describe('a viewer that is too slow', () => {
  it('gets the newest frame, not all of them', async () => {
    const { sessionId } = await runningSession();
    const client = await watch(sessionId);
    await client.next('initial_state');
    client.socket.pause();
    for (let i = 0; i < 40; i += 1) {
      test.host.last.draw(Buffer.alloc(1_000_000, i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    test.host.last.draw(Buffer.from('the last'));
    client.socket.resume();
    await shows(client, 'the last');
    expect(client.of('live_update').length).toBeLessThan(30);
  });
});

describe('a session of another runner', () => {
  it('is watched there, by way of this one', async () => {
    await using elsewhere = await testRunner(peer, scriptedPlanner(), { sessionsMax: 0 });
    const { sessionId } = await runningSession();
    const client = await watch(sessionId, connect({}, elsewhere));
    expect(await client.next('initial_state')).toMatchObject({ sessionId, url: PAGE });
    test.host.last.draw(Buffer.from('moved'));
    await shows(client, 'moved');
    client.say({ type: 'input', kind: 'back' });
    expect((await client.next('error')).code).toBe('not-steering');
    peer.signedIn.delete(COOKIE);
    expect(await client.closed).toBe(4401);
  });

  it('is retried later when that runner has ended', async () => {
    const { sessionId, viewers } = peer.add({ runnerAddress: 'http://127.0.0.1:9' });
    viewers.set(COOKIE, newId());
    const client = await watch(sessionId);
    expect(await client.closed).toBe(1013);
  });
});

describe('the internal address', () => {
  it('accepts calls with the token only', async () => {
    const call = (authorization: string) =>
      fetch(`${test.runner.address}/internal/browser-calls`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({
          organizationId: newId(),
          browserId: newId(),
          startUrl: PAGE,
          operation: 'read',
          args: {},
          maySendForms: true,
        }),
      });
    expect((await call('')).status).toBe(401);
    expect((await call('Bearer something-else')).status).toBe(401);
    const answered = await call(`Bearer ${TOKEN}`);
    expect(await answered.json()).toMatchObject({ success: true });
    expect(test.host.last.acts[0]).toEqual(open(PAGE));
  });
});
