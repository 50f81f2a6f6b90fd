import type { RequestListener } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { click, never, noticesOf, servePages } from './fixtures/pages.ts';
import { sharedPages } from './fixtures/shared-pages.ts';

const openSite = sharedPages();

const fine = '<title>Fine</title><h1>All is well</h1>';

describe('a page that misbehaves', () => {
  it('may redirect in circles: the step reports it', async () => {
    await using site = await openSite({
      '/one': (_, response) => void response.writeHead(302, { location: '/two' }).end(),
      '/two': (_, response) => void response.writeHead(302, { location: '/one' }).end(),
    });
    const { browser } = site;
    const result = await browser.act({ type: 'open', url: `${site.origin}/one` }, never);
    expect(result).toMatchObject({ success: false, output: '127.0.0.1 redirects in circles.' });
  });

  it('may never answer: the step ends, and the next one works', async () => {
    const site = await servePages({ '/never': () => undefined, '/': fine }, { actionMsMax: 2_000 });
    await using _ = site;
    await using browser = await site.host.open('one');
    const stuck = await browser.act({ type: 'open', url: `${site.origin}/never` }, never);
    expect(stuck).toMatchObject({ success: false, output: 'This took too long and was stopped.' });
    const next = await browser.act({ type: 'open', url: site.origin }, never);
    expect(next).toMatchObject({ success: true });
  });

  it('stops holding a caller whose signal is aborted', async () => {
    await using site = await openSite({ '/never': () => undefined });
    const { browser } = site;
    const stop = new AbortController();
    const result = browser.act({ type: 'open', url: `${site.origin}/never` }, stop.signal);
    stop.abort(new Error('terminated'));
    await expect(result).rejects.toThrow('terminated');
  });

  it('may run an endless script: actions report it, and opening works', async () => {
    const stop = new AbortController();
    const isRunning: RequestListener = (_, response) => {
      response.end();
      stop.abort();
    };
    const tell = `const told = new XMLHttpRequest(); told.open('GET', '/runs', false); told.send();`;
    const busy = `<h1>x</h1><script>${tell} for(;;);</script>`;
    const pages = { '/busy': busy, '/runs': isRunning, '/': fine };
    const site = await servePages(pages, { answerMsMax: 1_000 });
    await using _ = site;
    await using browser = await site.host.open('one');
    const opened = browser.act({ type: 'open', url: `${site.origin}/busy` }, stop.signal);
    await expect(opened).rejects.toThrow();
    const scroll = await browser.act({ type: 'scroll', direction: 'down' }, never);
    expect(scroll).toMatchObject({
      success: false,
      output: expect.stringContaining('does not answer'),
    });
    const next = await browser.act({ type: 'open', url: site.origin }, never);
    expect(next).toMatchObject({ success: true });
    expect(await noticesOf(browser)).toContain('did not answer any more');
  });

  it('may open 15 windows: few stay, and the first is shown', async () => {
    const flood = 'for (let i = 0; i < 15; i++) window.open("/pop?" + i)';
    await using site = await openSite({
      '/': `<title>Opener</title><button onclick='${flood}'>Flood</button>`,
      '/pop': '<title>Window</title>',
    });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    expect(await click(browser, 'Flood')).toMatchObject({ success: true });
    const view = await browser.view({ withImage: false }, never);
    expect(view?.title).toBe('Window');
    expect(view?.notices.join()).toMatch(/there are too many\. \(\d\d×\)/);
    expect(await browser.act({ type: 'back' }, never)).toMatchObject({ success: true });
  });

  it('may show dialogs: each is dismissed, a flood closes the page', async () => {
    await using site = await openSite({
      '/': '<button onclick="document.title = String(confirm(`Sure?`))">Ask</button>',
      '/flood': '<button onclick="for (;;) alert(1)">Flood</button>',
    });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    await click(browser, 'Ask');
    const asked = await browser.view({ withImage: false }, never);
    expect(asked).toMatchObject({ title: 'false', notices: [expect.stringContaining('Sure?')] });
    await browser.act({ type: 'open', url: `${site.origin}/flood` }, never);
    await click(browser, 'Flood');
    expect(await noticesOf(browser)).toContain('one dialog after the other and was closed');
    expect(await browser.act({ type: 'open', url: site.origin }, never)).toMatchObject({
      success: true,
    });
  });

  it('may flood with dialogs while it loads: it was not opened, and the next is', async () => {
    await using site = await openSite({
      '/': '<script>for (let i = 0; i < 100; i++) alert(i)</script>',
      '/few': '<title>Few</title><script>for (let i = 0; i < 10; i++) alert(i)</script>',
    });
    const { browser } = site;
    const flood = await browser.act({ type: 'open', url: site.origin }, never);
    const why = 'The page showed one dialog after the other and was closed.';
    expect(flood).toMatchObject({ success: false, output: why });
    const few = await browser.act({ type: 'open', url: `${site.origin}/few` }, never);
    expect(few).toMatchObject({ success: true, output: expect.stringContaining('"Few"') });
  });

  it('cannot prevent leaving the page', async () => {
    await using site = await openSite({
      '/': '<script>onbeforeunload = (e) => e.preventDefault()</script><button>Touch</button>',
      '/next': fine,
    });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    await click(browser, 'Touch');
    const next = await browser.act({ type: 'open', url: `${site.origin}/next` }, never);
    expect(next).toMatchObject({ success: true, output: expect.stringContaining('Fine') });
  });

  it('may offer 5 GB: the download is refused, and the stream ends', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(1_000_000);
    await using site = await openSite({
      '/': '<a href="/file">Get it</a>',
      '/file': (_, response) => {
        response.setHeader('content-type', 'application/zip');
        const more = () => {
          while (!response.destroyed && sent < 5_000_000_000) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', more);
          }
        };
        more();
      },
    });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    await click(browser, 'Get it');
    expect(await noticesOf(browser)).toContain('A download was refused: file');
    const opened = await browser.act({ type: 'open', url: `${site.origin}/file` }, never);
    expect(opened).toMatchObject({ success: false, output: expect.stringContaining('download') });
    await site.server.idle();
    expect(sent).toBeLessThan(50_000_000);
  });

  it('may be huge: it has no outline, and is read all the same', async () => {
    const rows = Array.from({ length: 26_000 }, (_, at) => `<li>Line ${at} of many</li>`);
    await using site = await openSite({ '/': `<title>Huge</title><ul>${rows.join('')}</ul>` });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    const view = await browser.view({ withImage: false }, never);
    expect(view?.outline).toContain('too many elements');
    const found = await browser.act({ type: 'search', words: 'Line 25999' }, never);
    expect(found).toMatchObject({ success: true, output: expect.stringContaining('1 place') });
  });

  it('may be hostile to its reader: no other page waits', async () => {
    const lines = `<p>${']: '.repeat(1_300)}&quot; x</p>`.repeat(400);
    await using site = await openSite({
      '/': `<title>Blanks</title><pre>x${' '.repeat(200_000)}y</pre>${lines}`,
    });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const read = await browser.act({ type: 'extract', about: '' }, never);
    await browser.view({ withImage: false }, never);
    delay.disable();
    expect(read.success).toBe(true);
    expect(delay.max / 1_000_000).toBeLessThan(5_000);
  });

  it('ends the session of the largest page when all together use too much', async () => {
    const take = (bytes: number) => `<h1>x</h1><script>
      const kept = Array.from({ length: ${bytes} / 1e7 }, () => new Uint8Array(1e7).fill(1));
      document.title = kept.length</script>`;
    const site = await servePages(
      { '/small': take(110_000_000), '/large': take(150_000_000) },
      // Six small ones fit in: the large one is the largest before all together are too large.
      { pageBytesMax: 195_000_000 },
    );
    await using _ = site;
    const open = async (path: string) => {
      const browser = await site.host.open('one');
      void browser.act({ type: 'open', url: `${site.origin}${path}` }, never);
      return browser;
    };
    const small = await Promise.all(Array.from({ length: 5 }, () => open('/small')));
    const lost: string[] = [];
    for (const one of small) void one.lost.then(({ text }) => lost.push(text));
    const titles = () =>
      Promise.all(small.map(async (one) => (await one.view({ withImage: false }, never))?.title));
    const loaded = { titles: small.map(() => '11'), lost: [] };
    await expect.poll(async () => ({ titles: await titles(), lost })).toEqual(loaded);
    const large = await open('/large');
    expect((await large.lost).text).toContain('too much memory together');
    expect({ titles: await titles(), lost }).toEqual(loaded);
  });

  it('ends the session when it uses too much memory', async () => {
    const eat = 'const kept = []; setInterval(() => kept.push(new Uint8Array(2e7).fill(1)), 20)';
    const site = await servePages(
      { '/': `<h1>x</h1><script>${eat}</script>` },
      { pageBytesMax: 200_000_000 },
    );
    await using _ = site;
    await using browser = await site.host.open('one');
    void browser.act({ type: 'open', url: site.origin }, never);
    expect((await browser.lost).text).toBe('The page used more than 200 MB of memory.');
  });
});
