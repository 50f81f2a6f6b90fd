import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { ImportRefused } from '@tallyhand/agent-runtime/import/import-refused';
import { startImporter } from '@tallyhand/agent-runtime/import/importer';
import type { Page } from 'playwright';
import { simplePage } from '../simple-page.ts';

const SHOW_MS_MAX = 10_000;

/** A document that a browser would only download, as text; or why it can't be read. */
export type FileText = { url: string; title: string; text: string } | { refusal: string };

export type FileTexts = AsyncDisposable & {
  read(url: string, signal: AbortSignal): Promise<FileText>;
};

/** Reads PDF and Word files in threads of their own, fetched as any page is and without cookies. */
export function fileTexts(policy: OutboundPolicy): FileTexts {
  const importer = startImporter();
  return {
    async read(url, signal) {
      try {
        const fetch = (from: string, init: object) => guardedFetch(from, init, policy);
        const file = await importer.importPage({ url, fetch, signal });
        return { url: file.url, title: file.title, text: file.markdown };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ImportRefused) return { refusal: error.sentence };
        throw error;
      }
    },
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
