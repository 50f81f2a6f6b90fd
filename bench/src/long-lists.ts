import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { lengthen, longLists } from '../../stack/src/testing/long-lists.ts';
import { agentWithArticle, registerOrganization } from '../../test-kit/src/api-client.ts';
import { productFolder } from './product.ts';
import { ms, type Row, row } from './table.ts';

const FRAMES = 60;
/** About a hard turn of the wheel for each frame. */
const STEP_PX = 240;

/** A list is there when so many of its items are. */
const SOME = 8;

type Scrolled = { readonly longestTaskMs: number; readonly frameP99Ms: number };

/** How pages scroll that show thousands of something: tasks of 50 ms and more are felt. */
export async function measureLongLists(): Promise<Row[]> {
  await using folder = await productFolder({});
  const { product } = await folder.start();
  const browser = await launchChromium();
  try {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const input = { input: 'Can it be returned?', type: 'query' };
    await client.call(executeTask, { params: { id: agent.id }, body: input });
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: product.url }));
    const rows: Row[] = [];
    for (const [name, { path, read, entries }] of Object.entries(longLists)) {
      const context = await browser.newContext({ baseURL: product.url });
      await context.addCookies(cookies);
      const page = await context.newPage();
      await lengthen(page, read, entries);
      await page.goto(path);
      await page.locator('main :is(li, tr)').nth(SOME).waitFor({ state: 'attached' });
      const { longestTaskMs, frameP99Ms } = await page.evaluate<Scrolled>(SCROLL);
      await context.close();
      const figure = `${ms(longestTaskMs)}, ${ms(frameP99Ms)}`;
      const what = `${name}, ${entries.toLocaleString('en')}: longest task, p99 of frames, scrolling`;
      rows.push(row(what, figure, '50 ms; –'));
    }
    return rows;
  } finally {
    await browser.close();
    await product.stop();
  }
}

/**
 * Run in the page: down by steps, then to the end, and up by steps; what is told of the tasks before
 * is dropped.
 */
const SCROLL = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => requestIdleCallback(resolve));
  const tasks = [];
  const began = performance.now();
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  observer.observe({ entryTypes: ['longtask'] });
  const frames = [];
  let last = await frame();
  const scroll = async (step) => {
    for (let at = 0; at < ${FRAMES}; at++) {
      window.scrollBy({ top: step, behavior: 'instant' });
      const now = await frame();
      frames.push(now - last);
      last = now;
    }
  };
  await scroll(${STEP_PX});
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
  await scroll(${-STEP_PX});
  tasks.push(...observer.takeRecords());
  const during = tasks.filter(({ startTime }) => startTime >= began);
  frames.sort((a, b) => a - b);
  return {
    longestTaskMs: Math.max(0, ...during.map(({ duration }) => duration)),
    frameP99Ms: frames[Math.floor(frames.length * 0.99)],
  };
})()`;
