import type { BaseQueryApi } from '@reduxjs/toolkit/query';
import {
  changeAgent,
  deleteAgent,
  getAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { getCurrentUser, signOut } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CACHE_RULES } from './api.ts';
import { baseQuery, type Call, call, nextCursor, userRead } from './base-query.ts';
import { changeSeen } from './change-seen.ts';
import { endedSignIn } from './ended-sign-in.ts';

describe('the cursor of the next page', () => {
  it('is that of the link to the next page', () => {
    const link = '</api/billing/ledger?limit=50&cursor=WyJhIl0>; rel="next"';
    expect(nextCursor(link)).toBe('WyJhIl0');
  });
  it('is found among other links', () => {
    const link = '</api/x?cursor=a>; rel="prev", </api/x?cursor=b>; rel="next"';
    expect(nextCursor(link)).toBe('b');
  });
  it('is absent on the last page', () => {
    expect(nextCursor(null)).toBeUndefined();
    expect(nextCursor('</api/x?cursor=a>; rel="prev"')).toBeUndefined();
  });
});

describe('the call of an endpoint', () => {
  it('puts parameters of the path into it, and the rest into the query or the body', () => {
    expect(call(getAgent, 'a/b')).toEqual({ method: 'GET', path: '/api/agents/a%2Fb' });
    expect(call(getAgent, { id: 'a', asOf: 'now' }).path).toBe('/api/agents/a?asOf=now');
    expect(call(listAgents, { limit: 5, cursor: undefined }).path).toBe('/api/agents?limit=5');
    const { path, body } = call(changeAgent, { id: 'a', isActive: false });
    expect({ path, body }).toEqual({ path: '/api/agents/a', body: { isActive: false } });
  });
  it('has no body where nothing is given beside the parameters', () => {
    expect(call(deleteAgent, 'a').body).toBeUndefined();
  });
});

type Sent = { method: string; headers: Record<string, string> };
const codeOf = (status: number) => (status === 500 ? 'internal-fault' : 'fault');

describe('a call', () => {
  const calls: string[] = [];
  const keys: (string | undefined)[] = [];
  const tags: (string | undefined)[] = [];
  let answers: (number | 'none')[] = [];
  let leave: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('navigator', { onLine: true });
    vi.stubGlobal('fetch', async (path: string, { method, headers }: Sent) => {
      calls.push(`${method} ${path}`);
      keys.push(headers['Idempotency-Key']);
      tags.push(headers['If-Match']);
      const status = answers.shift() ?? 200;
      if (status === 'none') throw new TypeError('Failed to fetch');
      const code = status === 401 ? 'not-signed-in' : codeOf(status);
      const problem = {
        type: 'about:blank',
        title: 'A problem',
        status,
        detail: 'It failed',
        code,
      };
      const position = { 'Tallyhand-Position': `C${calls.length}-P${calls.length}` };
      return Response.json(status === 200 ? [] : problem, { status, headers: position });
    });
    leave = endedSignIn.watch();
  });
  afterEach(() => {
    leave();
    calls.length = 0;
    keys.length = 0;
    tags.length = 0;
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const { signal } = new AbortController();
  const made = (asked = call(listAgents)) => baseQuery(asked, { signal } as BaseQueryApi, {});
  const outcome = async (given: typeof answers, asked = call(listAgents)) => {
    answers = given;
    const answer = made(asked);
    await vi.advanceTimersByTimeAsync(5_000);
    const { error } = await answer;
    return { code: error?.code, calls: calls.splice(0).length };
  };

  it('that reads is repeated once when the server failed or did not answer', async () => {
    expect(await outcome([503])).toEqual({ code: undefined, calls: 2 });
    expect(await outcome(['none'])).toEqual({ code: undefined, calls: 2 });
    expect(await outcome([500, 500, 500])).toEqual({ code: 'internal-fault', calls: 2 });
  });

  it('for the current user returns where live changes continue', async () => {
    await outcome([200], call(getCurrentUser));
    expect(userRead.position).toBe('C1-P1');
    await outcome([200, 200], call(listAgents));
    expect(userRead.position).toBe('C1-P1');
  });

  it('that was refused is not repeated', async () => {
    for (const status of [400, 403, 404, 409, 422, 429]) {
      expect(await outcome([status])).toEqual({ code: 'fault', calls: 1 });
    }
  });

  it('that changes something is never repeated automatically', async () => {
    const change = { method: 'POST', path: '/api/agents', body: {} } as const;
    expect(await outcome([503], change)).toEqual({ code: 'fault', calls: 1 });
    expect(await outcome(['none'], change)).toEqual({ code: 'network', calls: 1 });
  });

  const create = (name: string): Call => ({ method: 'POST', path: '/api/agents', body: { name } });
  const keysOf = async (...asked: [answer: (typeof answers)[number], call: Call][]) => {
    for (const [answer, request] of asked) await outcome([answer, answer], request);
    return keys.splice(0);
  };

  it('that changes something has a key, and one that reads has none', async () => {
    const [one, two] = await keysOf([200, create('A')], [200, create('A')]);
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(two).not.toBe(one);
    expect(await keysOf([200, call(listAgents)])).toEqual([undefined]);
  });

  it('has the key of the one before where that was the same and its answer was lost', async () => {
    for (const lost of ['none', 500] as const) {
      const [first, second, third] = await keysOf(
        [lost, create('A')],
        [200, create('A')],
        [200, create('A')],
      );
      expect(second).toBe(first);
      expect(third).not.toBe(first);
    }
  });

  it('has a new key where the one before was refused, was another, or is long ago', async () => {
    const [refused, next] = await keysOf([422, create('A')], [200, create('A')]);
    expect(next).not.toBe(refused);
    const [lost, , again] = await keysOf(
      ['none', create('A')],
      [200, create('B')],
      [200, create('A')],
    );
    expect(again).not.toBe(lost);
    const [early] = await keysOf(['none', create('A')]);
    await vi.advanceTimersByTimeAsync(600_000);
    const [late] = await keysOf([200, create('A')]);
    expect(late).not.toBe(early);
  });

  it('of an editor names the state that the user saw, and is another call for another state', async () => {
    const agent = { id: 'a', version: 3, isActive: true };
    const changed = (seen: typeof agent) =>
      changeSeen(changeAgent).query({ seen, body: { name: 'Support' } });
    const [first, second, third] = await keysOf(
      ['none', changed(agent)],
      [200, changed(agent)],
      [200, changed({ ...agent, version: 4, isActive: false })],
    );
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(tags).toEqual(['"3"', '"3"', '"4-paused"']);
    await outcome([200], call(changeAgent, { id: 'a', isActive: false }));
    expect(tags.at(-1)).toBeUndefined();
  });

  it('for the current user is made once', async () => {
    expect(await outcome([503], call(getCurrentUser))).toEqual({ code: 'fault', calls: 1 });
  });

  it('reports that there is no network', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    expect(await outcome(['none', 'none'])).toEqual({ code: 'offline', calls: 2 });
  });

  it('waits until the user signs in again, and is then repeated', async () => {
    answers = [401];
    const answer = made({ method: 'POST', path: '/api/agents', body: { name: 'A' } });
    await vi.waitUntil(endedSignIn.isEnded);
    expect(calls).toEqual(['POST /api/agents']);
    endedSignIn.signedIn();
    expect(await answer).toMatchObject({ data: [] });
    expect(calls).toEqual(['POST /api/agents', 'POST /api/agents']);
  });

  it('fails when the user does not sign in again, and at once after signing out', async () => {
    answers = [401];
    const answer = made();
    await vi.waitUntil(endedSignIn.isEnded);
    endedSignIn.giveUp();
    expect(await answer).toMatchObject({ error: { code: 'not-signed-in' } });
    answers = [401];
    expect(await made(call(signOut))).toMatchObject({ error: { code: 'not-signed-in' } });
    expect(endedSignIn.isEnded()).toBe(false);
  });
});

describe('a whole list', () => {
  const signal = new AbortController().signal;
  const asked = (query?: { limit: number }) =>
    baseQuery(call(listAgents, query ?? {}), { signal } as BaseQueryApi, {});
  const paths: string[] = [];
  const pages = (...given: (unknown[] | null)[]) =>
    vi.stubGlobal('fetch', async (path: string) => {
      const page = given[paths.push(path) - 1];
      if (!page) return Response.json({ status: 404, code: 'not-found' }, { status: 404 });
      const link = `</api/agents?limit=1000&cursor=after${page.at(-1)}>; rel="next"`;
      const isLast = paths.length === given.length;
      return Response.json(page, isLast ? {} : { headers: { Link: link } });
    });
  afterEach(() => {
    paths.length = 0;
    vi.unstubAllGlobals();
  });

  it('continues to its last page', async () => {
    pages([1, 2], [3, 4], [5]);
    expect(await asked()).toMatchObject({ data: [1, 2, 3, 4, 5] });
    const [list, ...rest] = paths;
    expect([list, ...rest]).toEqual([list, `${list}?cursor=after2`, `${list}?cursor=after4`]);
  });

  it('fails when one of its pages cannot be read', async () => {
    pages([1, 2], null, [5]);
    expect(await asked()).toMatchObject({ error: { status: 404 } });
  });

  it('is not returned when a page was requested', async () => {
    pages([1, 2], [3]);
    expect(await asked({ limit: 2 })).toMatchObject({ data: [1, 2], meta: { next: 'after2' } });
    expect(paths).toHaveLength(1);
  });
});

describe('a read', () => {
  it('is fresh for five minutes, dropped after as many, and not read again on focus', () => {
    expect(CACHE_RULES).toEqual({
      keepUnusedDataFor: 300,
      refetchOnMountOrArgChange: 300,
      refetchOnFocus: false,
    });
  });
});
