import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditEntry,
  listAuditEntries,
  listRecordedEvents,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type AuditExport,
  type AuditKey,
  downloadAuditExport,
  getAuditExport,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { type ApiClient, cookieOf } from '@tallyhand/test-kit/api-client';
import { expect, vi } from 'vitest';

/** The entries that a filter finds. */
export async function audited(
  by: ApiClient,
  query: Record<string, string> = {},
): Promise<AuditEntry[]> {
  const answer = await by.call<AuditEntry[]>(listAuditEntries, { query });
  expect(answer.status).toBe(200);
  return listAuditEntries.answer?.parse(answer.body) ?? [];
}

export const nextOf = (headers: Headers) =>
  /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

/** All pages from an address, following the links, until one is empty or has no link. */
export async function pagesFrom<R>(by: ApiClient, path: string): Promise<R[][]> {
  const pages: R[][] = [];
  for (let next: string | undefined = path; next; ) {
    const answer: { status: number; headers: Headers; body: R[] } = await by.send('GET', next);
    expect(answer.status).toBe(200);
    if (answer.body.length === 0) break;
    pages.push(answer.body);
    next = nextOf(answer.headers);
  }
  return pages;
}

export type Recorded = {
  readonly sequence: number;
  readonly type: string;
  readonly stream: string;
  readonly at: string;
  readonly data: Record<string, unknown>;
};
export const replayed = async (by: ApiClient, query = '') =>
  (await pagesFrom<Recorded>(by, `${listRecordedEvents.path}?limit=7${query}`)).flat();

export const sequences = (entries: readonly { readonly sequence: number }[]) =>
  entries.map(({ sequence }) => sequence);

/** Exports the audit log, and reads the bundle as its verifier does. */
export async function verifiedExport(client: ApiClient, url: string) {
  const started = await client.call<AuditExport>(startAuditExport, { body: { format: 'ndjson' } });
  const { id } = started.body;
  const state = async () =>
    (await client.call<AuditExport>(getAuditExport, { params: { id } })).body.status;
  await vi.waitUntil(async () => (await state()) === 'finished');
  const cookie = cookieOf(client);
  const answer = await fetch(`${url}${pathOf(downloadAuditExport, { id })}`, {
    headers: { cookie },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const [key] = (await client.call<AuditKey[]>(listAuditKeys)).body;
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-verified-'));
  try {
    const file = join(folder, 'export.zip');
    await writeFile(file, bytes);
    return { id, bytes, proof: await verifyBundle(file, readPublicKey(key?.pem ?? '')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
