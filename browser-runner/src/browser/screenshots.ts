import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { Frame } from '../session-browser.ts';
import type { PageTools } from './page-tools.ts';

const SHOT_MS_MAX = 5_000;
const BYTES_MAX = 2_000_000;

export const VIEWPORT = { width: 1_280, height: 800 };

/** The visible part of the page; smaller where it would be too large. Null when it can't be drawn. */
export async function takeScreenshot(tools: PageTools): Promise<Frame | null> {
  const shoot = async (scale: number) => {
    const client = await tools.cdp();
    const { data } = await client.send('Page.captureScreenshot', {
      format: 'png',
      ...(scale === 1 ? {} : { clip: { ...(await visiblePart(client)), scale } }),
    });
    return Buffer.from(data, 'base64');
  };
  const shootBounded = async () => {
    const png = await shoot(1);
    return png.byteLength <= BYTES_MAX ? png : await shoot(0.5);
  };
  try {
    const png = await orAborted(shootBounded(), AbortSignal.timeout(SHOT_MS_MAX));
    return { png, url: tools.url(), title: tools.title(), at: new Date() };
  } catch {
    return null;
  }
}

/** A clip is relative to the whole page. */
async function visiblePart(client: Awaited<ReturnType<PageTools['cdp']>>) {
  const { cssVisualViewport } = await client.send('Page.getLayoutMetrics');
  return { ...VIEWPORT, x: cssVisualViewport.pageX, y: cssVisualViewport.pageY };
}
