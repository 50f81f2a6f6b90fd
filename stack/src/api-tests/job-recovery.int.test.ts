import { openJobs } from '@tallyhand/command-service/kit/jobs';
import {
  type AuditExport,
  getAuditExport,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import {
  getVerification,
  startVerification,
  type Verification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { caseRuns, testLog } from '@tallyhand/test-kit/cases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const AT_ONCE = 4;
const ROUNDS = caseRuns(2, 10).numRuns;

let product: OwnProduct;
let client: ApiClient;
let admin: pg.Client;
beforeAll(async () => {
  product = await startTestProduct();
  admin = new pg.Client({ connectionString: product.config.databaseUrl });
  await admin.connect();
  ({ client } = await registerOrganization(product.url));
});
afterAll(async () => {
  await admin.end();
  await product[Symbol.asyncDispose]();
});

/** The leftovers of a worker that dies at the last attempt of the newest job of the queue. */
async function dieAtLastTry(queue: string) {
  const { rowCount } = await admin.query(
    `update jobs.job set state = 'active', retry_count = least(retry_limit, 5),
       started_on = now() - interval '1 minute', heartbeat_on = now() - interval '1 minute',
       completed_on = null
     where id = (select id from jobs.job where name = $1 order by created_on desc limit 1)`,
    [queue],
  );
  expect(rowCount).toBe(1);
}

/** Detects dead workers, as each process does every ten seconds; their jobs are due at once. */
async function superviseNow() {
  await using jobs = await openJobs(product.config.databaseUrl, testLog);
  await admin.query('update jobs.queue set monitor_on = null, monitor_claim_on = null');
  await jobs.boss.supervise();
  await admin.query(`update jobs.job set start_after = now() where state = 'retry'`);
}

describe('a verification of a ledger', () => {
  const start = () => client.call(startVerification);
  const status = async () => (await client.call<Verification>(getVerification)).body.status;

  it('completes however often it is requested at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, start));
      expect(answers.map((answer) => answer.status)).toEqual(Array(AT_ONCE).fill(202));
      await expect.poll(status).toBe('passed');
    }
  });

  it('completes when it is requested while the previous job is not finished', async () => {
    await start();
    await expect.poll(status).toBe('passed');
    await admin.query(
      `update jobs.job set state = 'active', completed_on = null, heartbeat_on = now()
       where name = 'verify-ledger' and created_on = (
         select max(created_on) from jobs.job where name = 'verify-ledger')`,
    );
    await start();
    await admin.query(
      `update jobs.job set heartbeat_on = now() - interval '1 minute' where state = 'active'`,
    );
    await superviseNow();
    await expect.poll(status).toBe('passed');
  });
});

describe('a worker that died at its last try', () => {
  it('is replaced for a verification of a ledger, and an export of the audit log has failed', async () => {
    const verified = async () => (await client.call<Verification>(getVerification)).body.status;
    await client.call(startVerification);
    const started = await client.call<AuditExport>(startAuditExport, { body: { format: 'csv' } });
    const { id } = started.body;
    const exported = async () =>
      (await client.call<AuditExport>(getAuditExport, { params: { id } })).body.status;
    await expect.poll(verified).toBe('passed');
    await expect.poll(exported).toBe('finished');
    await product.restart(async () => {
      await admin.query(
        `update operational.ledger_verifications set state = state || '{"status": "running"}'`,
      );
      await dieAtLastTry('verify-ledger');
      await admin.query(
        `update operational.audit_exports set state = state || '{"status": "running"}'
         where export_id = $1`,
        [id],
      );
      await dieAtLastTry('export-audit');
    });
    expect([await verified(), await exported()]).toEqual(['running', 'running']);
    await superviseNow();
    await expect.poll(verified).toBe('passed');
    await expect.poll(exported).toBe('failed');
  });
});
