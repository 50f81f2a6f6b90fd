import {
  BROWSER_TOOL_ARGS,
  type callBrowserTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import type { PageAction, SessionBrowser } from '../session-browser.ts';
import { pageAnswer, refOf } from './page-answer.ts';

export type BrowserCall = BodyOf<typeof callBrowserTool>;
export type BrowserAnswer = AnswerOf<typeof callBrowserTool>;

/** One call of a browser tool; failures are answers without success. */
export async function browserOperation(
  browser: SessionBrowser,
  { startUrl, operation, args: given }: BrowserCall,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  const look = () => browser.view({ withImage: false }, signal);
  const act = async (action: PageAction, isShown: boolean): Promise<BrowserAnswer> => {
    const { success, output } = await browser.act(action, signal);
    return success && isShown ? read() : answered(success, output);
  };
  async function read(): Promise<BrowserAnswer> {
    const page = await look();
    if (!page) return answered(false, 'No page is open. Open an address first.');
    const { success, output } = await browser.act({ type: 'extract', about: '' }, signal);
    return answered(true, pageAnswer(page, success ? output : ''));
  }
  async function ready(): Promise<BrowserAnswer | null> {
    if (startUrl === null || (await look()) !== null) return null;
    const opened = await act({ type: 'open', url: startUrl }, false);
    return opened.success ? null : opened;
  }

  const parsed = BROWSER_TOOL_ARGS[operation].safeParse(given);
  if (!parsed.success) return answered(false, `These details do not fit ${operation}.`);
  const args = parsed.data as { url?: string; ref?: string; text?: string; submit?: boolean };
  if (operation === 'open') return act({ type: 'open', url: args.url ?? '' }, true);
  const notReady = await ready();
  if (notReady) return notReady;
  if (operation === 'read') return read();
  if (operation === 'screenshot') return picture(browser);
  const wanted = args.ref ?? '';
  const ref = refOf(wanted, await look());
  if (!ref) return answered(false, `There is no element "${wanted}" on the page.`);
  if (operation === 'click') return act({ type: 'click', ref }, true);
  const { text = '', submit = false } = args;
  return act({ type: 'type', ref, text, submit }, submit);
}

async function picture(browser: SessionBrowser): Promise<BrowserAnswer> {
  const frame = await browser.screenshot();
  if (!frame) return answered(false, 'There is nothing to take a picture of.');
  const output = `A picture of ${frame.title} (${frame.url}).`;
  return { success: true, output, screenshot: frame.png.toString('base64') };
}

export const answered = (success: boolean, output: string): BrowserAnswer => ({
  success,
  output,
  screenshot: null,
});
