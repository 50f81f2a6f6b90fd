import { resolve } from 'node:path';
import { restoreBackup } from '../backup/restore-backup.ts';
import type { Config } from '../supervisor/config.ts';
import { readAuditKey } from '../supervisor/secrets.ts';
import { OperatorError, oneFile, parseCommand } from './command.ts';

const RESTORE_USAGE = `Restores the product from a backup:
  npm run restore -- FILE
      into DATA_DIR, which must be empty; BACKUP_PASSPHRASE opens the secrets; a backup without
      secrets needs MASTER_KEY and SIGNING_KEY, and AUDIT_KEY_FILE to sign audit logs
  npm run restore -- FILE --accept-faults
      even if ledgers or audit logs in it fail their verification, as they did in the product`;

/** Runs the command; `say` reports progress. */
export async function runRestoreCommand(
  args: readonly string[],
  config: Pick<Config, 'dataDir' | 'eventStoreUrl' | 'databaseUrl' | 'auditKey' | 'settings'>,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const { file, acceptsFaults } = parse(args);
  if (config.eventStoreUrl || config.databaseUrl) {
    throw new OperatorError(
      'A backup is restored into a data folder, with embedded servers. Unset EVENTSTORE_URL and ' +
        'DATABASE_URL; npm run move then moves it to a cluster.',
    );
  }
  const { MASTER_KEY, SIGNING_KEY, BACKUP_PASSPHRASE } = config.settings;
  const { madeAt } = await restoreBackup(
    file,
    config.dataDir,
    {
      passphrase: BACKUP_PASSPHRASE,
      masterKey: MASTER_KEY,
      signingKey: SIGNING_KEY,
      auditKeyPem: readAuditKey(config),
      acceptsFaults,
    },
    say,
  );
  return [
    `Restored the product of ${madeAt} into ${config.dataDir}. Start it with npm start.`,
    'Make sure that the original does not run any more: both would send mail.',
  ];
}

function parse(args: readonly string[]) {
  const options = { 'accept-faults': { type: 'boolean' } } as const;
  const { positionals, values } = parseCommand(args, options, RESTORE_USAGE);
  const file = resolve(oneFile(positionals, RESTORE_USAGE));
  return { file, acceptsFaults: values['accept-faults'] === true };
}
