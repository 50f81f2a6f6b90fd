import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { never, servePages } from './fixtures/pages.ts';
import { chromiumsOf, isRenderer, livingOf } from './fixtures/processes.ts';

const pages = { '/': '<title>Fine</title><h1>All is well</h1>' };
const pidsOf = (root: number) => chromiumsOf(root).map(({ pid }) => pid);

describe('the browser of this process', () => {
  it('is launched with the first session, and closed after a while without use', async () => {
    await using site = await servePages(pages, { idleMs: 200 });
    expect(pidsOf(process.pid)).toEqual([]);
    const browser = await site.host.open('one');
    const pids = pidsOf(process.pid);
    expect(pids.length).toBeGreaterThan(0);
    await browser[Symbol.asyncDispose]();
    await expect.poll(() => livingOf(pids)).toEqual([]);

    await using again = await site.host.open('one');
    expect(await again.act({ type: 'open', url: site.origin }, never)).toMatchObject({
      success: true,
    });
  });

  it('informs its sessions when it crashes, leaves nothing behind, and is launched again', async () => {
    await using site = await servePages(pages);
    await using browser = await site.host.open('one');
    await browser.act({ type: 'open', url: site.origin }, never);
    const all = chromiumsOf(process.pid);
    const main = all.find(({ parent }) => parent === process.pid);
    process.kill(main?.pid ?? 0, 'SIGKILL');
    expect((await browser.lost).text).toBe('The browser crashed.');
    expect(await browser.act({ type: 'open', url: site.origin }, never)).toMatchObject({
      success: false,
    });
    expect(await browser.screenshot()).toBeNull();
    const pids = all.map(({ pid }) => pid);
    await expect.poll(() => livingOf(pids)).toEqual([]);

    await using again = await site.host.open('one');
    expect(await again.act({ type: 'open', url: site.origin }, never)).toMatchObject({
      success: true,
    });
  });

  it('replaces a crashed page once, and gives up the second time', async () => {
    await using site = await servePages(pages);
    await using browser = await site.host.open('one');
    for (const [at, expected] of ['The page crashed and was closed.', ''].entries()) {
      await browser.act({ type: 'open', url: site.origin }, never);
      const renderers = chromiumsOf(process.pid).filter(isRenderer);
      for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
      if (at === 1) break;
      const notices = async () => (await browser.view({ withImage: false }, never))?.notices;
      await expect.poll(notices).toContain(expected);
    }
    expect((await browser.lost).text).toBe('The page crashed again.');
  });

  it('reports that the page crashed during a step', async () => {
    await using site = await servePages({ ...pages, '/never': () => undefined });
    await using browser = await site.host.open('one');
    await browser.act({ type: 'open', url: site.origin }, never);
    const opening = browser.act({ type: 'open', url: `${site.origin}/never` }, never);
    const isAsked = () => site.server.requests.some(({ url }) => url === '/never');
    await expect.poll(isAsked).toBe(true);
    const renderers = chromiumsOf(process.pid).filter(isRenderer);
    for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
    expect(await opening).toMatchObject({ success: false, output: 'The page crashed.' });
  });

  it('does not outlive this process, even after SIGKILL', async () => {
    const file = new URL('./fixtures/launcher.fixture.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const pids = pidsOf(child.pid ?? 0);
    expect(pids.length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => livingOf(pids)).toEqual([]);
  });

  it('does not grow by sessions that came and went', async () => {
    await using site = await servePages(pages);
    await using first = await site.host.open('one');
    await first.act({ type: 'open', url: site.origin }, never);
    const before = pidsOf(process.pid).length;
    const visit = async () => {
      await using browser = await site.host.open('one');
      await browser.act({ type: 'open', url: site.origin }, never);
    };
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 5 }, visit));
    }
    await expect.poll(() => pidsOf(process.pid).length).toBeLessThanOrEqual(before);
  });

  it('is closed with its sessions, and opens none afterwards', async () => {
    await using site = await servePages(pages);
    await site.host.open('one');
    const pids = pidsOf(process.pid);
    await site.host[Symbol.asyncDispose]();
    await expect.poll(() => livingOf(pids)).toEqual([]);
    await expect(site.host.open('one')).rejects.toThrow('closed');
  });
});
