import { readUrl } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import { hostOf, portOf } from '@tallyhand/agent-runtime/guard/own-origins';
import type { Page, Response } from 'playwright';
import type { ProxyClient } from '../proxy/proxy-client.ts';
import { type Done, done, failed } from '../session-browser.ts';
import { type FileReader, showFile } from './file-text.ts';
import type { SessionPages } from './session-pages.ts';

const OPEN_MS_MAX = 20_000;
const ANSWER_MS_MAX = 3_000;

export type Opening = {
  pages: SessionPages;
  proxy: Pick<ProxyClient, 'takeRefusal'>;
  files: FileReader;
  signal: AbortSignal;
  /** By default a page has 5 s for an action, and 3 s before another address is opened. */
  answerMsMax?: number | undefined;
};

/** Opens an address: waits for its DOM, and continues with the current state after 20 seconds. */
export async function openPage(
  given: string,
  { pages, proxy, files, signal, answerMsMax }: Opening,
): Promise<Done> {
  const target = readAddress(given);
  if (typeof target === 'string') return failed(target);
  const page = await pageFor(pages, answerMsMax);
  const tools = pages.tools(page);
  const until = performance.now() + OPEN_MS_MAX;
  tools?.takeFailedUrl();
  try {
    const response = await page.goto(target.href, {
      waitUntil: 'commit',
      timeout: OPEN_MS_MAX,
      signal,
    });
    const timeout = Math.max(1, until - performance.now());
    const isLoaded = await page.waitForLoadState('domcontentloaded', { timeout, signal }).then(
      () => true,
      () => false,
    );
    const why = tools?.whyGivenUp();
    if (why !== undefined) return failed(why);
    if (!isLoaded) tools?.forgetPending();
    return await opened(page, pages, response, proxy, isLoaded);
  } catch (error) {
    // An abandoned navigation must not replace another page later.
    await tools?.stopLoading();
    if (tools?.hasCrashed()) return failed('The page crashed.');
    const why = tools?.whyGivenUp();
    if (why !== undefined) return failed(why);
    const url = URL.parse(tools?.takeFailedUrl() ?? '') ?? target;
    if (isDownload(error)) return await openFile(page, url, files, signal);
    return failed(proxy.takeRefusal(authorityOf(url)) ?? whyNotOpened(error, url));
  }
}

const isDownload = (error: unknown) =>
  error instanceof Error && error.message.includes('Download is starting');

/** The text of a document; other files are not loaded. */
async function openFile(
  page: Page,
  { href, host }: URL,
  files: FileReader,
  signal: AbortSignal,
): Promise<Done> {
  const file = await files.read(href, signal);
  if ('refusal' in file) {
    return failed(`This address of ${host} is a download, which was refused. ${file.refusal}`);
  }
  await showFile(page, file, signal);
  return done(`Opened the text of the document "${file.title}" (${file.url}).`);
}

/** Users leave the scheme out. */
function readAddress(given: string): URL | string {
  const text = given.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text);
  try {
    return readUrl(hasScheme ? text : `https://${text}`);
  } catch (error) {
    if (error instanceof OutboundRefused) return error.message;
    throw error;
  }
}

/** A page with an endless script cannot navigate: another one replaces it. */
async function pageFor(pages: SessionPages, answerMsMax = ANSWER_MS_MAX): Promise<Page> {
  const page = pages.current();
  if (page === null) return await pages.open();
  if (await pages.tools(page)?.isResponsive(answerMsMax)) return page;
  return await pages.replace('The page did not answer any more and was closed.');
}

async function opened(
  page: Page,
  pages: SessionPages,
  response: Response | null,
  proxy: Pick<ProxyClient, 'takeRefusal'>,
  isLoaded: boolean,
): Promise<Done> {
  const url = new URL(response?.url() ?? page.url());
  const refusal = url.host === '' ? undefined : proxy.takeRefusal(authorityOf(url));
  if (refusal !== undefined) return failed(refusal);
  const title = (await pages.tools(page)?.readTitle()) ?? '';
  const notes = [
    `Opened ${title === '' ? url.href : `"${title}" (${url.href})`}.`,
    kindNote(response?.headers()['content-type'] ?? ''),
    isLoaded ? '' : 'It was still loading after 20 seconds.',
  ];
  const status = response?.status() ?? 200;
  if (status >= 400) notes.push(`The server answered ${status} ${response?.statusText() ?? ''}`);
  const text = notes.filter((note) => note !== '').join(' ');
  return status >= 400 ? failed(`${text.trim()}.`) : done(text);
}

function kindNote(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'text/html' || type === 'application/xhtml+xml') return '';
  return `It is no web page but a file of the type ${type}.`;
}

const authorityOf = (url: URL) => `${hostOf(url)}:${portOf(url)}`;

const REASONS: readonly (readonly [RegExp, (host: string) => string])[] = [
  [/ERR_TOO_MANY_REDIRECTS/, (host) => `${host} redirects in circles.`],
  [/ERR_NAME_NOT_RESOLVED/, (host) => `The name ${host} could not be resolved.`],
  [/ERR_CERT_|ERR_SSL_/, (host) => `No secure connection to ${host} could be made.`],
  [/Timeout/, (host) => `${host} did not answer within 20 seconds.`],
  [/ERR_EMPTY_RESPONSE/, (host) => `${host} closed the connection without an answer.`],
  [/ERR_CONNECTION_|ERR_TUNNEL_|ERR_PROXY_/, (host) => `No connection to ${host} could be made.`],
  [/ERR_UNSAFE_PORT|ERR_BLOCKED_BY/, (host) => `The browser refuses to open this of ${host}.`],
  [/ERR_ABORTED/, (host) => `${host} sent nothing that could be shown.`],
  [/interrupted by another navigation/, (host) => `${host} led elsewhere at once.`],
];

function whyNotOpened(error: unknown, url: URL): string {
  const message = error instanceof Error ? error.message : '';
  const reason = REASONS.find(([pattern]) => pattern.test(message));
  return reason?.[1](url.hostname) ?? `${url.hostname} could not be opened.`;
}
