import { BrowserCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeHost, fakeHost } from '../testing/fake-browser.ts';
import { type BrowserCall, BrowserCalls, pageAnswer, refOf } from './browser-calls.ts';

const ONE = newId();
const PAGE = 'https://shop.example/';
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const never = new AbortController().signal;
let host: FakeHost;
let calls: BrowserCalls;

beforeEach(() => {
  host = fakeHost();
  calls = new BrowserCalls(host, log, { idleMsMax: 60_000, callMsMax: 2_000 });
});
afterEach(() => calls[Symbol.asyncDispose]());

const call = (changes: Partial<BrowserCall> = {}) =>
  calls.call(
    {
      browserId: newId(),
      organizationId: ONE,
      startUrl: PAGE,
      operation: 'read',
      args: {},
      maySendForms: true,
      ...changes,
    },
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

  it("opens the given address, and returns the page's text", async () => {
    const url = `${PAGE}plans`;
    const answer = await call({ operation: 'open', args: { url }, startUrl: null });
    expect(answer).toMatchObject({ success: true, output: expect.stringContaining(url) });
    expect(host.last.acts[0]).toEqual({ type: 'open', url });
  });

  it('returns a screenshot', async () => {
    const { screenshot } = await call({ operation: 'screenshot' });
    expect(Buffer.from(screenshot ?? '', 'base64').toString()).toBe('a picture');
  });

  it('types into the given field', async () => {
    await call({ operation: 'type', args: { ref: 'e3', text: 'shoes', submit: true } });
    expect(host.last.acts[1]).toEqual({ type: 'type', ref: 'e3', text: 'shoes', submit: true });
  });

  it('sends a form only for an agent that may', async () => {
    const form = { name: 'Send', host: 'shop.example.com', args: {}, print: '' };
    host.onForm = ({ type }) => (type === 'click' ? form : null);
    const click = { operation: 'click', args: { ref: 'e3' } } as const;
    const refused = await call({ ...click, maySendForms: false });
    expect(refused).toMatchObject({
      success: false,
      output: expect.stringContaining('only a browser session can wait'),
    });
    expect(host.last.acts.map(({ type }) => type)).toEqual(['open']);
    const typing = { operation: 'type', args: { ref: 'e3', text: 'shoes' } } as const;
    expect((await call({ ...typing, maySendForms: false })).success).toBe(true);
    expect((await call(click)).success).toBe(true);
  });

  it('fails with a sentence where nothing is open, or nothing is meant', async () => {
    expect(await call({ startUrl: null })).toMatchObject({
      success: false,
      output: 'No page is open. Open an address first.',
    });
    expect(await call({ operation: 'click', args: { ref: 'Buy' } })).toMatchObject({
      success: false,
      output: 'There is no element "Buy" on the page.',
    });
    expect(await call({ operation: 'open', args: {} })).toMatchObject({
      success: false,
      output: 'These details do not fit open.',
    });
  });

  it('does not wait for a page without end', async () => {
    await calls[Symbol.asyncDispose]();
    calls = new BrowserCalls(host, log, { callMsMax: 20 });
    host.onAct = () => new Promise(() => undefined);
    expect((await call()).output).toBe('The page took too long.');
  });

  it('reports a lost browser, and opens another the next time', async () => {
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
  it('are six: a seventh replaces the one that was idle longest', async () => {
    const ids = Array.from({ length: 7 }, () => newId());
    for (const browserId of ids) await call({ browserId });
    expect(host.browsers.map(({ isClosed }) => isClosed)).toEqual(
      ids.map((_, index) => index === 0),
    );
  });

  it('of another organization stay open when one opens many', async () => {
    const organizationId = newId();
    await call({ organizationId });
    for (let index = 0; index < 8; index += 1) await call();
    expect(host.browsers.map(({ isClosed }) => isClosed).slice(0, 4)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('work for another organization while one floods', async () => {
    host.onAct = () => new Promise(() => undefined);
    const flood = Array.from({ length: 20 }, () => call());
    await vi.waitUntil(() => host.browsers.length === 4);
    host.onAct = null;
    expect(await call({ organizationId: newId() })).toMatchObject({ success: true });
    expect(host.browsers).toHaveLength(5);
    for (let ended = 0; ended < 20; ended += 1) {
      await vi.waitUntil(() => host.browsers.length > ended);
      host.browsers[ended]?.lose(BrowserCrashed({}));
    }
    await calls[Symbol.asyncDispose]();
    await Promise.all(flood);
  });

  it('are requested in bounded numbers', async () => {
    host.onAct = () => new Promise(() => undefined);
    const flood = Array.from({ length: 36 }, () => call());
    expect(await call()).toMatchObject({
      success: false,
      output: expect.stringContaining('in the queue. Try again in'),
    });
    host.onAct = null;
    for (const browser of host.browsers) browser.lose(BrowserCrashed({}));
    await Promise.all(flood);
  });

  it('are closed when they idle, and when their work has ended', async () => {
    await calls[Symbol.asyncDispose]();
    calls = new BrowserCalls(host, log, { idleMsMax: 10 });
    await call();
    await vi.waitUntil(() => host.last.isClosed);
    await calls[Symbol.asyncDispose]();
    calls = new BrowserCalls(host, log);
    const browserId = newId();
    await call({ browserId });
    await calls.close(browserId);
    expect(host.last.isClosed).toBe(true);
  });
});

const page = {
  url: 'https://shop.example/',
  title: 'Shop',
  screenshot: null,
  notices: ['A dialog said hi'],
  outline: [
    '- navigation [ref=e1]:',
    '  - link "Plans and \\"prices\\"" [ref=e2] [cursor=pointer]:',
    '    - /url: /plans',
    '  - link "Plans" [ref=f1e3] [cursor=pointer]',
    '- textbox "Search" [ref=e4]: shoes',
    '- paragraph [ref=e5]: The button "Buy" [ref=e99] is not one.',
  ].join('\n'),
};

describe('refOf', () => {
  it('accepts a reference unchanged', () => {
    expect(refOf('e12', page)).toBe('e12');
    expect(refOf('f2e7', null)).toBe('f2e7');
  });
  it('finds an element by its name: the whole of it first, then a part', () => {
    expect(refOf('plans', page)).toBe('f1e3');
    expect(refOf('Plans and "prices"', page)).toBe('e2');
    expect(refOf('sear', page)).toBe('e4');
  });
  it('finds nothing where there is none', () => {
    expect(refOf('Buy', page)).toBeNull();
    expect(refOf('', page)).toBeNull();
    expect(refOf('Plans', null)).toBeNull();
  });
});

describe('pageAnswer', () => {
  it('has the address, the text and the possible actions', () => {
    expect(pageAnswer(page, 'Welcome')).toBe(
      [
        'Shop\nhttps://shop.example/',
        'A dialog said hi',
        'Welcome',
        'Elements:\n- link "Plans and "prices"" [ref=e2]\n- link "Plans" [ref=f1e3]\n- textbox "Search" [ref=e4]',
      ].join('\n\n'),
    );
  });
  it("stays within the limit of a tool's answer", () => {
    expect(pageAnswer(page, 'x'.repeat(50_000)).length).toBeLessThan(20_000);
  });
});
