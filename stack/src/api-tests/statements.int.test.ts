import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getAuditKeyHistory } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
import {
  exportStatement,
  getStatementPdf,
  getStatementSignature,
  listStatements,
  type Statement,
  type StatementSignature,
} from '@tallyhand/contracts/features/credits/statements.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { type ApiClient, cookieOf } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { earlierOrganization, pastMonth } from '../testing/past-months.ts';
import { appendPast } from '../testing/past-sessions.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const verifier = fileURLToPath(
  new URL('../../../verifier/src/audit-verify.main.ts', import.meta.url),
);
const month = pastMonth();

let product: TestProduct;
let client: ApiClient;
let organizationId: string;
let folder: string;
beforeAll(async () => {
  product = await sharedProduct();
  const registered = await earlierOrganization(product);
  ({ client } = registered);
  organizationId = registered.user.organization.id;
  const terms = {
    organizationId,
    reservationId: newId(),
    amount: 40,
    work: { kind: 'task', id: newId() },
    workType: 'query',
    agentId: newId(),
    memberId: registered.user.id,
    price: 40,
  } as const;
  const stream = `ledger-${organizationId}`;
  const expiresAt = `${month}-15T09:00:00.000Z`;
  await appendPast(
    product.config,
    stream,
    organizationId,
    [CreditsReserved({ ...terms, expiresAt }), CreditsCharged(terms)],
    `${month}-15T08:00:00.000Z`,
  );
  const isThere = async () =>
    expect((await client.call<unknown[]>(listLedgerEntries)).body).toHaveLength(3);
  await vi.waitFor(isThere);
  // The projector looks at its lag from time to time, and may have seen that of the old entries.
  await vi.waitFor(() => fileOf(exportStatement));
  folder = await mkdtemp(join(tmpdir(), 'statements-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(endpoint: typeof exportStatement | typeof getStatementPdf) {
  const response = await fetch(`${product.url}${endpoint.path}?month=${month}`, {
    headers: { cookie: cookieOf(client) },
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe('a statement of the whole product', () => {
  it('is listed, and ends with the ledger entries of its month', async () => {
    const { body } = await client.call<Statement[]>(listStatements);
    expect(body.map((each) => each.month)).toContain(month);
    const csv = (await fileOf(exportStatement)).toString();
    // The welcome credits are before the entries that were appended later with an earlier time.
    expect(csv).toContain('credits,granted,,,,1,100,0');
    expect(csv).toContain('credits,charged,,,,1,0,-40');
    expect(csv).toContain('credits,closing,,,,,60,0');
  });

  it.each([
    ['csv', exportStatement],
    ['pdf', getStatementPdf],
  ] as const)('as %s is verified by the program for exports', async (format, endpoint) => {
    const query = { month, format };
    const { body: signature } = await client.call<StatementSignature>(getStatementSignature, {
      query,
    });
    const { body: keys } = await client.call(getAuditKeyHistory);
    const file = (name: string) => join(folder, `${format}-${name}`);
    const content = await fileOf(endpoint);
    await writeFile(file('statement'), content);
    await writeFile(file('changed'), Buffer.concat([content, Buffer.from(' ')]));
    await writeFile(file('signature'), JSON.stringify(signature));
    await writeFile(file('keys'), JSON.stringify(keys));
    const verify = (name: string, ...more: string[]) =>
      promisify(execFile)(process.execPath, [
        verifier,
        '--statement',
        file(name),
        '--signature',
        file('signature'),
        ...more,
      ]).then(
        ({ stdout }) => ({ code: 0, out: stdout }),
        ({ code, stdout, stderr }) => ({ code, out: `${stdout}${stderr}` }),
      );
    const key = ['--key', file('keys')];
    const well = await verify('statement', ...key, '--organization', organizationId);
    expect(well).toMatchObject({ code: 0, out: expect.stringContaining('is unchanged.') });
    const changed = await verify('changed', ...key);
    expect(changed).toMatchObject({ code: 1, out: expect.stringContaining('differs') });
    const keyless = await verify('statement');
    expect(keyless).toMatchObject({ code: 1, out: expect.stringContaining('belong together') });
    const none = await verify('nothing', ...key);
    expect(none).toMatchObject({ code: 1, out: expect.stringContaining('no such file') });
  });
});
