import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditExport,
  type AuditKey,
  downloadAuditExport,
  getAuditExport,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/keys';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { vi } from 'vitest';

/** Exports the audit log, and reads the bundle as its verifier does. */
export async function verifiedExport(client: ApiClient, url: string) {
  const started = await client.call<AuditExport>(startAuditExport, { body: { format: 'ndjson' } });
  const { id } = started.body;
  const state = async () =>
    (await client.call<AuditExport>(getAuditExport, { params: { id } })).body.status;
  await vi.waitUntil(async () => (await state()) === 'finished');
  const cookie = [...client.cookies].map((pair) => pair.join('=')).join('; ');
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
