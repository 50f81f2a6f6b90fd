import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { ImportRefused } from '@tallyhand/agent-runtime/import/import-refused';
import { startImporter } from '@tallyhand/agent-runtime/import/importer';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import type { Page } from 'playwright';
import { simplePage } from '../simple-page.ts';

const LIMITS: FairQueueLimits = {
  concurrency: 3,
  concurrencyPerOrganization: 2,
  startedMax: 24,
  startedPerOrganizationMax: 12,
  waitingMax: 100,
  waitingPerOrganizationMax: 100,
};
const SHOW_MS_MAX = 10_000;

/** A document that a browser would only download, as text; or why it can't be read. */
export type FileText = { url: string; title: string; text: string } | { refusal: string };

export type FileReader = { read(url: string, signal: AbortSignal): Promise<FileText> };

export type FileTexts = AsyncDisposable & { readerFor(organizationId: string): FileReader };

/** Reads PDF and Word files in separate threads, fetched like pages but without cookies. */
export function fileTexts(policy: OutboundPolicy): FileTexts {
  const importer = startImporter(new FairQueue('page-files', LIMITS));
  const fetch = (from: string, init: object) => guardedFetch(from, init, policy);
  return {
    readerFor: (organizationId) => ({
      async read(url, signal) {
        try {
          // Each browser reads one at a time, and there are few browsers.
          const file = await importer.importPage({ organizationId, url, fetch, signal });
          return { url: file.url, title: file.title, text: file.markdown };
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof ImportRefused) return { refusal: error.sentence };
          throw error;
        }
      },
    }),
    [Symbol.asyncDispose]: () => importer[Symbol.asyncDispose](),
  };
}

/** Shows the text at the file's own address, in the place of the file. */
export async function showFile(
  page: Page,
  { url, title, text }: Extract<FileText, { text: string }>,
  signal: AbortSignal,
): Promise<void> {
  const isFile = ({ href }: URL) => href === url;
  const body = simplePage(title, text);
  await page.route(isFile, (route) =>
    route.fulfill({ status: 200, contentType: 'text/html; charset=utf-8', body }),
  );
  try {
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: SHOW_MS_MAX, signal });
  } finally {
    await page.unroute(isFile);
  }
}
