import {
  type AuditEntry,
  listAuditEntries,
  listRecordedEvents,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

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

/** Every page from an address on, by the links that lead on, until one is empty or leads nowhere. */
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
