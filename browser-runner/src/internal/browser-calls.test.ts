import { BrowserCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeHost, fakeHost } from '../testing/fake-browser.ts';
import { type BrowserCalls, browserCalls } from './browser-calls.ts';
import type { BrowserCall } from './browser-operation.ts';

const PAGE = 'https://shop.example/';
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const never = new AbortController().signal;
let host: FakeHost;
let calls: BrowserCalls;

beforeEach(() => {
  host = fakeHost();
  calls = browserCalls(host, log, { idleMsMax: 60_000, callMsMax: 2_000 });
});
afterEach(() => calls[Symbol.asyncDispose]());

const call = (changes: Partial<BrowserCall> = {}) =>
  calls.call(
    { browserId: newId(), startUrl: PAGE, operation: 'read', args: {}, ...changes },
    never,
  );

describe('a call of a browser tool', () => {
  it('opens its start page first, once for each piece of work', async () => {
    const browserId = newId();
    expect((await call({ browserId })).output).toContain(`Title of ${PAGE}\n${PAGE}`);
    await call({ browserId, operation: 'screenshot' });
    expect(host.browsers).toHaveLength(1);
    expect(host.last.acts.map(({ type }) => type)).toEqual(['open', 'extract']);
  });

  it('opens what it is told, and gives what stands there', async () => {
    const url = `${PAGE}plans`;
    const answer = await call({ operation: 'open', args: { url }, startUrl: null });
    expect(answer).toMatchObject({ success: true, output: expect.stringContaining(url) });
    expect(host.last.acts[0]).toEqual({ type: 'open', url });
  });

  it('gives a picture', async () => {
    const { screenshot } = await call({ operation: 'screenshot' });
    expect(Buffer.from(screenshot ?? '', 'base64').toString()).toBe('a picture');
  });

  it('types where it is told', async () => {
    await call({ operation: 'type', args: { ref: 'e3', text: 'shoes', submit: true } });
    expect(host.last.acts[1]).toEqual({ type: 'type', ref: 'e3', text: 'shoes', submit: true });
  });

  it('fails with a sentence where nothing is open, or nothing is meant', async () => {
    expect(await call({ startUrl: null })).toMatchObject({
      ...{ success: false, output: 'No page is open. Open an address first.' },
    });
    expect(await call({ operation: 'click', args: { ref: 'Buy' } })).toMatchObject({
      ...{ success: false, output: 'There is no element "Buy" on the page.' },
    });
    expect(await call({ operation: 'open', args: {} })).toMatchObject({
      ...{ success: false, output: 'These details do not fit open.' },
    });
  });

  it('does not wait for a page without end', async () => {
    await calls[Symbol.asyncDispose]();
    calls = browserCalls(host, log, { callMsMax: 20 });
    host.onAct = () => new Promise(() => undefined);
    expect((await call()).output).toBe('The page took too long.');
  });

  it('says what happened to a browser that is lost, and has another the next time', async () => {
    const browserId = newId();
    host.onAct = async () => {
      host.last.lose(BrowserCrashed({}));
      return new Promise(() => undefined);
    };
    expect((await call({ browserId })).output).toBe('The browser crashed.');
    host.onAct = null;
    expect((await call({ browserId })).success).toBe(true);
    expect(host.browsers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });
});

describe('browsers of tools', () => {
  it('are four: a fifth takes the place of the one that idles longest', async () => {
    const ids = Array.from({ length: 5 }, () => newId());
    for (const browserId of ids) await call({ browserId });
    expect(host.browsers.map(({ isClosed }) => isClosed)).toEqual([
      ...[true, false, false, false, false],
    ]);
  });

  it('are four: while all are at work there is no fifth', async () => {
    host.onAct = () => new Promise(() => undefined);
    const busy = Array.from({ length: 4 }, () => call());
    await vi.waitUntil(() => host.browsers.every(({ acts }) => acts.length === 1));
    expect((await call()).output).toBe('All browsers are at work. Try again in a moment.');
    await calls[Symbol.asyncDispose]();
    for (const browser of host.browsers) browser.lose(BrowserCrashed({}));
    await Promise.all(busy);
  });

  it('are closed when they idle, and when their work has ended', async () => {
    await calls[Symbol.asyncDispose]();
    calls = browserCalls(host, log, { idleMsMax: 10 });
    await call();
    await vi.waitUntil(() => host.last.isClosed);
    await calls[Symbol.asyncDispose]();
    calls = browserCalls(host, log);
    const browserId = newId();
    await call({ browserId });
    await calls.close(browserId);
    expect(host.last.isClosed).toBe(true);
  });
});
