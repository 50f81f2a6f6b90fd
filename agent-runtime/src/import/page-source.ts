import type { GuardedResponse, OutboundInit } from '../guard/guarded-fetch.ts';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { ImportRefused } from './import-refused.ts';
import type { ImportSource } from './imported.ts';
import { isVagueType } from './kind.ts';

/** The guarded fetch with its policy filled in. */
export type PageFetch = (
  url: string,
  init: OutboundInit,
) => Promise<Pick<GuardedResponse, 'url' | 'status' | 'headers' | 'bytes' | 'discard'>>;

const accept =
  'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, ' +
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document;q=0.9, */*;q=0.1';

/**
 * Fetches a page or file. Throws ImportRefused: `fetch-failed`, `too-large`, `timeout`,
 * `unknown-kind` for a type that can't be read; or the reason of an aborted signal.
 */
export async function fetchSource(
  url: string,
  fetch: PageFetch,
  bytesMax: number,
  signal: AbortSignal,
): Promise<ImportSource> {
  try {
    const response = await fetch(url, {
      headers: { accept },
      signal,
      limits: { bodyBytes: bytesMax },
    });
    const host = new URL(response.url).host;
    if (response.status < 200 || response.status > 299) {
      response.discard();
      throw new ImportRefused('fetch-failed', `${host} answered with status ${response.status}.`);
    }
    const told = toldOf(response.headers['content-type'] ?? '', response.url);
    return { ...told, bytes: await response.bytes() };
  } catch (error) {
    signal.throwIfAborted();
    throw refusalOf(error);
  }
}

/** The content type decides; the name in the address counts only where the type says too little. */
function toldOf(contentType: string, address: string): Omit<ImportSource, 'bytes'> {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? '';
  const { host, pathname } = new URL(address);
  const lastPart = decoded(pathname.split('/').findLast((part) => part !== '') ?? '');
  const isNamed =
    isVagueType(type) || (type === 'text/plain' && /\.(?:md|markdown)$/i.test(lastPart));
  const name = isNamed ? lastPart : '';
  const titleOtherwise = lastPart.replace(/(?<=.)\.[a-z][a-z0-9]{0,9}$/i, '') || host;
  return { name, type, charset, address, titleOtherwise };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof OutboundRefused) return new ImportRefused('fetch-failed', error.message);
  if (!(error instanceof OutboundFailed)) return error;
  const codes = { 'too-large': 'too-large', timeout: 'timeout' } as const;
  const known = error.kind === 'too-large' || error.kind === 'timeout' ? codes[error.kind] : null;
  return new ImportRefused(known ?? 'fetch-failed', error.message);
}
