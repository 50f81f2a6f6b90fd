import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AuditExport,
  downloadAuditExport,
  getAuditExport,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { type ApiClient, cookieOf } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

/** The id of an export of the whole log as CSV that is ready for download. */
export async function finishedExport(client: ApiClient): Promise<string> {
  const { id } = (await client.call<AuditExport>(startAuditExport, { body: { format: 'csv' } }))
    .body;
  const state = () => client.call<AuditExport>(getAuditExport, { params: { id } });
  await expect.poll(async () => (await state()).body.status).toBe('finished');
  return id;
}

/** Makes an export as NDJSON and saves it in the folder. */
export async function savedExport(
  { client, url }: { readonly client: ApiClient; readonly url: string },
  folder: string,
  body: object = {},
) {
  const wanted = { format: 'ndjson', ...body };
  const started = await client.call<AuditExport>(startAuditExport, { body: wanted });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  const params = { id: started.body.id };
  const now = async () => (await client.call<AuditExport>(getAuditExport, { params })).body;
  await expect.poll(async () => (await now()).status).toBe('finished');
  const cookie = cookieOf(client);
  const answer = await fetch(`${url}${pathOf(downloadAuditExport, params)}`, {
    headers: { cookie },
  });
  const file = join(folder, `${params.id}.zip`);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const { since, upTo } = started.body;
  return { file, since, upTo };
}
