import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAllCases } from '@tallyhand/test-kit/cases';
import { describe, expect, it } from 'vitest';
import { never, servePages } from './fixtures/pages.ts';
import { chromiumsOf, isRenderer, launchedFromNow, livingOf } from './fixtures/processes.ts';
import { sharedPages } from './fixtures/shared-pages.ts';

const pages = { '/': '<title>Fine</title><h1>All is well</h1>' };
const ROUNDS = isAllCases() ? 10 : 4;
const launched = launchedFromNow();
const pids = (processes: ReturnType<typeof launched>) => processes.map(({ pid }) => pid);

describe('the browser of this process', () => {
  it('is launched with the first session and after a while without use, and closed with its sessions', async () => {
    await using site = await servePages(pages, { idleMs: 200 });
    expect(pids(launched())).toEqual([]);
    const browser = await site.host.open('one');
    const unused = pids(launched());
    expect(unused.length).toBeGreaterThan(0);
    await browser[Symbol.asyncDispose]();
    await expect.poll(() => livingOf(unused)).toEqual([]);

    const again = await site.host.open('one');
    expect(await again.act({ type: 'open', url: site.origin }, never)).toMatchObject({
      success: true,
    });
    const last = pids(launched());
    expect(last.length).toBeGreaterThan(0);
    await site.host[Symbol.asyncDispose]();
    await expect.poll(() => livingOf(last)).toEqual([]);
    // It opens none afterwards.
    await expect(site.host.open('one')).rejects.toThrow('closed');
  });

  it('does not outlive this process, even after SIGKILL', async () => {
    const file = new URL('./fixtures/launcher.fixture.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const browsers = pids(chromiumsOf(child.pid ?? 0));
    expect(browsers.length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => livingOf(browsers)).toEqual([]);
  });
});

describe('a session of the browser', () => {
  const openSite = sharedPages();

  it('is informed of a crash of the browser, which leaves nothing behind and is launched again', async () => {
    // This host closes no unused browser, so what is left can only be removed after the crash.
    await using site = await openSite(pages);
    const { browser, host } = site;
    const url = site.origin;
    await browser.act({ type: 'open', url }, never);
    const all = launched();
    const main = all.find(({ parent }) => parent === process.pid);
    process.kill(main?.pid ?? 0, 'SIGKILL');
    expect((await browser.lost).text).toBe('The browser crashed.');
    expect(await browser.act({ type: 'open', url }, never)).toMatchObject({ success: false });
    expect(await browser.screenshot()).toBeNull();
    await expect.poll(() => livingOf(pids(all))).toEqual([]);

    await using next = await host.open('one');
    expect(await next.act({ type: 'open', url }, never)).toMatchObject({ success: true });
  });

  it('has its crashed page replaced once, and gives up the second time', async () => {
    await using site = await openSite(pages);
    const { browser } = site;
    for (const [at, expected] of ['The page crashed and was closed.', ''].entries()) {
      await browser.act({ type: 'open', url: site.origin }, never);
      const renderers = launched().filter(isRenderer);
      for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
      if (at === 1) break;
      const notices = async () => (await browser.view({ withImage: false }, never))?.notices;
      await expect.poll(notices).toContain(expected);
    }
    expect((await browser.lost).text).toBe('The page crashed again.');
  });

  it('reports that its page crashed during a step', async () => {
    await using site = await openSite({ ...pages, '/never': () => undefined });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    const opening = browser.act({ type: 'open', url: `${site.origin}/never` }, never);
    const isAsked = () => site.server.requests.some(({ url }) => url === '/never');
    await expect.poll(isAsked).toBe(true);
    const renderers = launched().filter(isRenderer);
    for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
    expect(await opening).toMatchObject({ success: false, output: 'The page crashed.' });
  });

  it('leaves nothing behind when it goes', async () => {
    await using site = await openSite(pages);
    await site.browser.act({ type: 'open', url: site.origin }, never);
    const before = pids(launched()).length;
    const visit = async () => {
      await using browser = await site.host.open('one');
      await browser.act({ type: 'open', url: site.origin }, never);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(Array.from({ length: 5 }, visit));
    }
    await expect.poll(() => pids(launched()).length).toBeLessThanOrEqual(before);
  });
});
