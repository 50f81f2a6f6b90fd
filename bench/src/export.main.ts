import { setTimeout as pause } from 'node:timers/promises';
import { logFilterOf } from '@tallyhand/command-service/features/audit/audit-exports';
import { checkLogs } from '@tallyhand/command-service/features/audit/check-logs';
import { writeExportInThread } from '@tallyhand/command-service/features/audit/export-thread';
import { growLogTrees, treeOf } from '@tallyhand/command-service/features/audit/log-trees';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { openBenchKit } from './ledger-kit.ts';

const LOOK_MS = 20;

/** What the worker does of an export, in a process of its own; it is started with `--expose-gc`. */
const { kit: settings, organizationId, events } = JSON.parse(process.argv[2] ?? '{}');
const { kit, url } = await openBenchKit(settings);

/** Runs `work`, and returns the events in a second. */
async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return events / ((performance.now() - began) / 1000);
}

/** The tree of the log: an export is compared with it. */
async function growTree(): Promise<void> {
  await using _growing = growLogTrees(kit);
  while ((await treeOf(kit.pool, organizationId)).size < events) await pause(LOOK_MS);
}

async function exportAll(): Promise<string> {
  const id = newId();
  await inTenant(kit.pool, organizationId, (client) =>
    client.query(
      `insert into operational.audit_exports (export_id, organization_id, state, expires_at)
       values ($1, $2, '{}', now() + interval '1 day')`,
      [id, organizationId],
    ),
  );
  const bounds = { upTo: events, earlier: null };
  const order = { id, organizationId, format: 'ndjson' as const, filter: {}, ...bounds };
  const { auditKey } = kit.settings;
  const task = { url, auditKey, order, filter: logFilterOf(organizationId, {}) };
  await writeExportInThread(task, new AbortController().signal);
  return id;
}

const grown = await perSecond(growTree);
const checked = await perSecond(() => checkLogs(kit, { hurries: true }));

// No export was made before: what its thread brings into memory counts too.
globalThis.gc?.();
const before = process.memoryUsage.rss();
let peak = before;
const looking = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, LOOK_MS);
let id = '';
const exported = await perSecond(async () => {
  id = await exportAll();
});
clearInterval(looking);
process.once('disconnect', () => process.exit(0));
process.send?.({ id, exported, grown, checked, grownBytes: peak - before });
