import { dirname, join, resolve } from 'node:path';
import { noteBackupFolder } from '../backup/manifest.ts';
import type { BackedUpSecrets } from '../backup/sealed-secrets.ts';
import { takeBackup } from '../backup/take-backup.ts';
import type { Config } from '../supervisor/config.ts';
import { readAuditKey, readSecrets } from '../supervisor/secrets.ts';
import { OperatorError, oneFile, parseCommand } from './command.ts';
import { runningProduct } from './running-product.ts';

const BACKUP_USAGE = `Writes a backup to one file, while the product runs:
  npm run backup -- FILE
      with its secrets, sealed with BACKUP_PASSPHRASE
  npm run backup -- FILE --without-secrets
      keep secrets.json and audit-key.pem elsewhere: without them no one can read the backup, including you`;

/** Runs the command; returns the lines to print. */
export async function runBackupCommand(
  args: readonly string[],
  config: Config,
): Promise<readonly string[]> {
  const { file, withoutSecrets } = parse(args);
  if (config.eventStoreUrl) {
    throw new OperatorError(
      'This product stores its events in a cluster. Back up PostgreSQL first, then the cluster, ' +
        'with their own tools (docs/backup.md).',
    );
  }
  const passphrase = config.settings.BACKUP_PASSPHRASE;
  if (!withoutSecrets && !passphrase) {
    throw new OperatorError(`BACKUP_PASSPHRASE is not set.\n\n${BACKUP_USAGE}`);
  }
  const { databaseUrl } = runningProduct(config);
  const manifest = await takeBackup(
    {
      eventStoreDir: join(config.dataDir, 'event-store'),
      databaseUrl: config.settings.MIGRATE_DATABASE_URL ?? databaseUrl,
      secrets: withoutSecrets || !passphrase ? null : { values: secretsInUse(config), passphrase },
    },
    file,
  );
  await noteBackupFolder(config.dataDir, dirname(file));
  const { events, streams } = manifest.eventStore;
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `${file}: ${events} events in ${streams} streams, ${rows} rows, ` +
      `${manifest.hasSecrets ? 'with sealed secrets' : 'without secrets'}.`,
  ];
}

function parse(args: readonly string[]) {
  const options = { 'without-secrets': { type: 'boolean' } } as const;
  const { positionals, values } = parseCommand(args, options, BACKUP_USAGE);
  const file = resolve(oneFile(positionals, BACKUP_USAGE));
  return { file, withoutSecrets: values['without-secrets'] === true };
}

/** Settings take precedence over the data folder's secrets. */
function secretsInUse(config: Config): BackedUpSecrets {
  const kept = readSecrets(config.dataDir);
  return {
    ...kept,
    masterKey: config.masterKey ?? kept.masterKey,
    signingKey: config.signingKey ?? kept.signingKey,
    internalToken: config.internalToken ?? kept.internalToken,
    auditKeyPem: readAuditKey(config),
  };
}
