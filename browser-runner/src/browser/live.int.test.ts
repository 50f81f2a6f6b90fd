import { describe, expect, it } from 'vitest';
import type { Frame } from '../session-browser.ts';
import { never } from './fixtures/pages.ts';
import { sharedPages } from './fixtures/shared-pages.ts';

const openSite = sharedPages();

const moving = `<title>Moving</title><div id="box" style="position:absolute">x</div><script>
let x = 0; setInterval(() => { box.style.left = (x++ % 900) + 'px'; }, 20);</script>`;
const still = '<title>Still</title><h1>Nothing moves</h1>';
const form = `<title>Form</title>
<style>* { margin: 0; } input, button { display: block; height: 80px; width: 640px; }</style>
<input aria-label="Name" id="who"><input aria-label="Password" type="password" id="secret">
<button onclick="document.title = 'Clicked'"><b>Send <i>it</i></b></button>
<p id="echo"></p><div style="height: 4000px"></div>
<script>secret.oninput = () => { echo.textContent = 'It is: ' + secret.value; };
who.onkeydown = ({ key }) => { if (key === 'Enter') document.title = who.value; }</script>`;
const input = { type: 'input' } as const;

describe('watching a browser', () => {
  it('shows the page immediately, and frames while it moves', async () => {
    await using site = await openSite({ '/': moving });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    const frames: Frame[] = [];
    const stop = browser.watch((frame) => frames.push(frame));
    await expect.poll(() => frames.length).toBeGreaterThan(10);
    stop();
    const count = frames.length;
    const [first] = frames;
    expect(first?.png.subarray(1, 4).toString()).toBe('PNG');
    expect(frames.at(-1)).toMatchObject({ url: `${site.origin}/`, title: 'Moving' });
    await browser.screenshot();
    expect(frames).toHaveLength(count);
  });

  it('sends at most ten frames a second', async () => {
    await using site = await openSite({ '/': moving });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    const times: number[] = [];
    browser.watch(({ at }) => times.push(at.getTime()));
    await expect.poll(() => times.length).toBeGreaterThan(20);
    const seconds = ((times[20] ?? 0) - (times[0] ?? 0)) / 1_000;
    expect(20 / seconds).toBeLessThan(13);
  });

  it('follows the current page, and sends each watcher its address', async () => {
    await using site = await openSite({ '/': still, '/next': '<title>Next</title>Next' });
    const { browser } = site;
    const [one, other]: [Frame[], Frame[]] = [[], []];
    browser.watch((frame) => one.push(frame));
    await browser.act({ type: 'open', url: site.origin }, never);
    await expect.poll(() => one.at(-1)?.url).toBe(`${site.origin}/`);
    browser.watch((frame) => other.push(frame));
    await expect.poll(() => other.length).toBeGreaterThan(0);
    await browser.act({ type: 'open', url: `${site.origin}/next` }, never);
    for (const seen of [one, other]) {
      await expect.poll(() => seen.at(-1)?.url).toBe(`${site.origin}/next`);
    }
  });
});

describe('a member who took over', () => {
  it('clicks, types and presses keys where the picture shows it', async () => {
    await using site = await openSite({ '/': form });
    const { browser } = site;
    await browser.input({ ...input, kind: 'open', url: site.origin }, never);
    const click = (y: number) => browser.input({ ...input, kind: 'click', x: 0.1, y }, never);
    expect(await click(0.05)).toMatchObject({ success: true, name: 'Name' });
    const typed = await browser.input({ ...input, kind: 'text', text: 'Zoë' }, never);
    expect(typed).toMatchObject({ output: 'Typed "Zoë".', isSecret: false });
    await browser.input({ ...input, kind: 'key', key: 'Enter' }, never);
    expect(await browser.view({ withImage: false }, never)).toMatchObject({ title: 'Zoë' });
    expect(await click(0.25)).toMatchObject({ output: expect.stringMatching(/^Clicked "Send it/) });
    expect(await browser.view({ withImage: false }, never)).toMatchObject({ title: 'Clicked' });
  });

  it('types a password that no viewer sees', async () => {
    await using site = await openSite({ '/': form });
    const { browser } = site;
    await browser.input({ ...input, kind: 'open', url: site.origin }, never);
    await browser.input({ ...input, kind: 'click', x: 0.1, y: 0.15 }, never);
    await browser.input({ ...input, kind: 'text', text: 'hun' }, never);
    const typed = await browser.input({ ...input, kind: 'text', text: 'ter2' }, never);
    expect(typed).toMatchObject({ success: true, isSecret: true });
    const view = await browser.view({ withImage: false }, never);
    expect(view?.outline).toContain('textbox "Password"');
    const read = await browser.act({ type: 'extract', about: 'all' }, never);
    expect(read.output).toContain('It is: ••••••');
    expect(JSON.stringify([typed, view, read])).not.toContain('hunter2');
  });

  it('scrolls, and goes back', async () => {
    await using site = await openSite({ '/': form, '/still': still });
    const { browser } = site;
    await browser.input({ ...input, kind: 'open', url: `${site.origin}/still` }, never);
    await browser.input({ ...input, kind: 'open', url: site.origin }, never);
    await browser.input({ ...input, kind: 'scroll', x: 0.5, y: 0.5, deltaY: 900 }, never);
    const scrolled = await browser.act({ type: 'scroll', direction: 'up' }, never);
    expect(scrolled.output).toMatch(/^Scrolled up: seen to 2\d%/);
    expect(await browser.input({ ...input, kind: 'back' }, never)).toMatchObject({
      success: true,
      output: 'Went back to "Still".',
    });
  });
});
