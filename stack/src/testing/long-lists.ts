import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { listLedgerGroups } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { listTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import type { Page, Request } from 'playwright';

export type Script = { readonly name: string; readonly gzipBytes: number };

/** Runs in the page, before anything else. */
const MARK_WHEN_SHOWN = `new MutationObserver((_changes, observer) => {
  if (!document.querySelector('main h1')) return;
  performance.mark('shown');
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;

/** The scripts that are requested before a page is shown: then its links and buttons work. */
export async function firstScripts(page: Page, address: string): Promise<readonly Script[]> {
  await page.addInitScript(MARK_WHEN_SHOWN);
  await page.goto(address);
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0);
  const asked = await page.evaluate(() => {
    const shownAt = performance.getEntriesByName('shown')[0]?.startTime ?? 0;
    const resources = performance.getEntriesByType('resource');
    return resources.filter(({ startTime }) => startTime < shownAt).map(({ name }) => name);
  });
  const scripts = [...new Set(asked)].filter((name) => name.endsWith('.js'));
  return Promise.all(
    scripts.map(async (script) => ({
      name: new URL(script).pathname,
      gzipBytes: gzipSync(await (await fetch(script)).bytes(), { level: 9 }).length,
    })),
  );
}

/** What all of them weigh together, in thousands of bytes. */
export const kilobytesOf = (scripts: readonly Script[]) =>
  scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) / 1000;

/**
 * The pages whose lists grow, the reads that fill them, and how many entries there can be on a page:
 * those that don't come page by page are answered up to the limit of a list.
 */
export const longLists = {
  tasks: { path: '/tasks', read: listTasks, entries: 10_000 },
  audit: { path: '/audit', read: listAuditEntries, entries: 10_000 },
  ledger: { path: '/billing?tab=ledger', read: listLedgerGroups, entries: 10_000 },
  members: { path: '/team', read: listMembers, entries: LIST_LENGTH_MAX },
  agents: { path: '/agents', read: listAgents, entries: LIST_LENGTH_MAX },
  knowledge: { path: '/knowledge', read: listArticles, entries: LIST_LENGTH_MAX },
} as const;

type Listed = Readonly<Record<string, unknown>>;

/** From now on the page's lists have so many entries: copies of the first one. */
export async function lengthen(page: Page, read: Endpoint, count: number): Promise<void> {
  const isRead = ({ pathname }: URL) => pathname === pathOf(read);
  // The same ids at each read: another id would be another row.
  const ids = Array.from({ length: count }, () => randomUUID());
  await page.route(isRead, async (route) => {
    if (route.request().method() !== 'GET' || asksForFew(route.request())) return route.fallback();
    const [first] = (await (await route.fetch()).json()) as Listed[];
    if (!first) throw new Error(`${read.name} has nothing that could be repeated`);
    const json = ids.map((id, index) => copy(first, id, count - index));
    await route.fulfill({ json });
  });
}

/** Like the reads of the newest few beside the list. */
const FEW_MAX = 20;
const asksForFew = (request: Request) =>
  Number(new URL(request.url()).searchParams.get('limit') ?? Infinity) <= FEW_MAX;

const copy = (entry: Listed, id: string, sequence: number): Listed => ({
  ...entry,
  ...('id' in entry && { id }),
  ...('sequence' in entry && { sequence }),
  // Else they would be one row.
  ...('correlationId' in entry && { correlationId: id }),
  ...(Array.isArray(entry.entries) && { entries: [{ ...entry.entries[0], sequence }] }),
});
