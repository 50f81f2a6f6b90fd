import { OUTLINE_MAX } from '@tallyhand/contracts/features/sessions/browsing';
import { describe, expect, it, vi } from 'vitest';
import { never } from './fixtures/pages.ts';
import { sharedPages } from './fixtures/shared-pages.ts';

const openSite = sharedPages();

/** Each pixel has another color, so that no format compresses it. */
const noise = `<style>* { margin: 0; }</style><canvas id="c" width="1280" height="800"></canvas><script>
const context = c.getContext('2d'); const image = context.createImageData(1280, 800);
for (let at = 0; at < image.data.length; at += 65536)
  crypto.getRandomValues(image.data.subarray(at, at + 65536));
for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
context.putImageData(image, 0, 0);</script>`;
const long = `<title>Long\u200b</title>${'<p>One more of very many lines of text.</p>'.repeat(3_000)}`;

/** Width and height from the header of a PNG. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

describe('the view of a page', () => {
  it('is a picture of at most 2 MB, smaller where it would be larger', async () => {
    await using site = await openSite({ '/': noise, '/plain': '<h1>Plain</h1>' });
    const { browser } = site;
    expect(await browser.screenshot()).toBeNull();
    await browser.act({ type: 'open', url: `${site.origin}/plain` }, never);
    const plain = await browser.screenshot();
    expect(plain && sizeOf(plain.png)).toEqual([1_280, 800]);
    await browser.act({ type: 'open', url: site.origin }, never);
    // A busy machine may not draw so large a picture in time.
    const large = await vi.waitFor(async () => {
      const frame = await browser.screenshot();
      if (!frame) throw new Error('There is no picture yet');
      return frame;
    }, 30_000);
    expect(sizeOf(large.png)).toEqual([640, 400]);
    expect(large.png.byteLength).toBeLessThan(2_000_000);
  });

  it('is an outline, truncated at a line and marked so, without hidden elements', async () => {
    await using site = await openSite({ '/': long });
    const { browser } = site;
    await browser.act({ type: 'open', url: site.origin }, never);
    const view = await browser.view({ withImage: false }, never);
    expect(view?.title).toBe('Long');
    expect(view?.outline.length).toBeLessThanOrEqual(OUTLINE_MAX);
    const lines = view?.outline.split('\n') ?? [];
    expect(lines.at(-2)).toMatch(
      /^ +- paragraph \[ref=e\d+\]: One more of very many lines of text\.$/,
    );
    expect(lines.at(-1)).toContain('The rest of the page is left out');
  });
});
