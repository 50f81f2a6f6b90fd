import { EXPORT_QUEUE } from '@tallyhand/command-service/features/audit/audit-exports';
import { REPLY_QUEUE } from '@tallyhand/command-service/features/chat/reply-queue';
import { VERIFY_QUEUE } from '@tallyhand/command-service/features/credits/verify-ledger';
import { LINKS_QUEUE } from '@tallyhand/command-service/features/identity/account-links';
import { TASK_QUEUE } from '@tallyhand/command-service/features/tasks/task-queue';
import { JOBS_SCHEMA, makeJobs } from '@tallyhand/command-service/kit/jobs';
import { operationalMigrations, SCHEMA } from '@tallyhand/command-service/operational/migrations';
import { grantOperational, makeRoles } from '@tallyhand/command-service/operational/rights';
import { checkMasterKey } from '@tallyhand/command-service/operational/vault-key';
import { makeReadModels } from '@tallyhand/read-models/kernel/schema';
import { readModels, reads } from '@tallyhand/read-models/read-models';
import {
  applyMigrations,
  refuseNewer,
  withMigrationLock,
} from '@tallyhand/service-kit/postgres/migrations';
import { roleName } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';

/**
 * Creates the roles, schemas, tables and rights of this release; may run at any time again. Throws,
 * with nothing changed, for a database of a newer release, or with secrets of another key.
 */
export async function migrate(adminUrl: string, masterKey: string): Promise<void> {
  await withMigrationLock(adminUrl, async (client) => {
    await refuseNewer(client, SCHEMA, operationalMigrations);
    await checkMasterKey(client, masterKey);
    await makeRoles(client, adminUrl, masterKey);
    await applyMigrations(client, SCHEMA, operationalMigrations);
    await grantOperational(client, adminUrl);
    await makeJobs(client, [TASK_QUEUE, REPLY_QUEUE, VERIFY_QUEUE, EXPORT_QUEUE, LINKS_QUEUE]);
    await grantJobs(client, adminUrl);
    await makeReadModels(client, adminUrl, readModels, reads);
  });
}

async function grantJobs(client: pg.Client, adminUrl: string) {
  const command = pg.escapeIdentifier(roleName(adminUrl, 'command'));
  await client.query(`
    grant usage on schema ${JOBS_SCHEMA} to ${command};
    grant select, insert, update, delete on all tables in schema ${JOBS_SCHEMA} to ${command};
    grant usage on all sequences in schema ${JOBS_SCHEMA} to ${command};
    grant execute on all functions in schema ${JOBS_SCHEMA} to ${command};
  `);
}
