import { Frontier, leafHash } from '@tallyhand/service-kit/audit-bundle/merkle';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { logFilterOf } from './audit-exports.ts';
import { writeExportInThread } from './export-thread.ts';

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());

/** Of an organization whose log is empty. */
function exportUpTo(
  upTo: number,
  signal: AbortSignal,
  organizationId: string = newId(),
): Promise<void> {
  const { url, kit: opened } = kit.opened;
  const of = { id: newId(), organizationId, earlier: null };
  const order = { ...of, format: 'csv', filter: {}, upTo } as const;
  const filter = logFilterOf(order.organizationId, {});
  const { auditKey } = opened.settings;
  return writeExportInThread({ url, auditKey, order, filter }, signal);
}

async function waiting(): Promise<number | null> {
  const { rowCount } = await kit.admin.query(
    `select from pg_locks where not granted
     and relation = 'operational.audit_export_chunks'::regclass
     and database = (select oid from pg_database where datname = current_database())`,
  );
  return rowCount;
}

describe('the thread of an export', () => {
  it('reports its failure', async () => {
    const never = new AbortController().signal;
    const organizationId = newId();
    const tree = new Frontier();
    tree.append(leafHash(Buffer.from('an event')));
    await kit.admin.query(
      `insert into operational.audit_trees (organization_id, size, frontier, position)
       values ($1, 1, $2, 'C1-P1')`,
      [organizationId, JSON.stringify(tree.state())],
    );
    const exported = exportUpTo(1, never, organizationId);
    await expect(exported).rejects.toThrow('The log has a gap after 0');
  });

  it('ends when its job is stopped, and drops its current work', async () => {
    const stop = new AbortController();
    const locker = await kit.admin.connect();
    try {
      await locker.query('begin; lock table operational.audit_export_chunks');
      const exported = exportUpTo(0, stop.signal);
      await expect.poll(waiting).toBe(1);
      stop.abort(new Error('The job was stopped'));
      await expect(exported).rejects.toThrow('The job was stopped');
    } finally {
      await locker.query('rollback');
      locker.release();
    }
    await expect(exportUpTo(0, stop.signal)).rejects.toThrow('The job was stopped');
  });
});
