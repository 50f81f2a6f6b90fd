import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '@tallyhand/event-store/storage/database';
import { verifyStore } from '@tallyhand/event-store/storage/verify';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { checkAgreement } from '../backup/check-restored.ts';
import { withClient } from '../backup/manifest.ts';
import { copyTables, followEvents, keptPositions, moveEvents, refuseUsed } from '../backup/move.ts';
import { saysSo } from '../backup/out-of-room.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import type { Config } from '../supervisor/config.ts';
import { lockDataFolder } from '../supervisor/data-folder-lock.ts';
import { ensureDatabase } from '../supervisor/embedded-servers.ts';
import { readSecrets } from '../supervisor/secrets.ts';
import { OperatorError } from './command.ts';

const MOVE_USAGE = `Moves a data folder's events to a cluster, while the product is stopped:
  npm run move
      MOVE_EVENTSTORE_URL (or MOVE_EVENTSTORE_URL_FILE): the target, such as esdb://HOST:2113
      MOVE_DATABASE_URL: also moves the database, such as postgres://USER:PASSWORD@HOST/NAME; it
      must be empty, and the user must be able to create schemas and roles
      an interrupted move continues when it is run again`;

/** Runs the command; `say` reports progress. The event store here is not changed. */
export async function runMoveCommand(
  args: readonly string[],
  config: Config,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const { to, database } = destination(args, config);
  const eventStoreDir = join(config.dataDir, 'event-store');
  if (config.eventStoreUrl || !existsSync(databasePath(eventStoreDir))) {
    throw new OperatorError(`${config.dataDir} has no event store: there is nothing to move.`);
  }
  const lock = lockDataFolder(config.dataDir);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => lock.release());
  if (database) await refuseUsed(database);
  const { events: head, streams } = verifyStore(eventStoreDir);
  const databaseUrl = config.databaseUrl ?? (await ownDatabase(config, stack));
  const target = stack.adopt(openEventLog(to), (log) => log.close());
  await withClient(databaseUrl, async (client) => {
    const faults = await checkAgreement(client, eventStoreDir);
    if (faults.length > 0) {
      throw new OperatorError(
        `The database was moved already, or belongs to another store:\n${faults.join('\n')}`,
      );
    }
    const wanted = await keptPositions(client);
    const moved = await moveEvents({ eventStoreDir, head, target }, wanted, say);
    say(`${head} events in ${streams} streams were appended and compared.`);
    if (!database) return followEvents(client, moved);
    const masterKey = config.masterKey ?? readSecrets(config.dataDir).masterKey;
    await copyTables(client, database, masterKey, moved);
  }).catch(explainFullDisk);
  const settings = database ? 'EVENTSTORE_URL and DATABASE_URL' : 'EVENTSTORE_URL';
  return [
    `Moved. Set ${settings} to the new address${database ? 'es' : ''}, keep the secrets, and start: ` +
      'read models are rebuilt first.',
  ];
}

function explainFullDisk(error: unknown): never {
  if (!saysSo(error)) throw error;
  throw new OperatorError(
    "A database's disk is full. No table was changed, and the appended events stay. Free space, and " +
      'run the move again.',
  );
}

/** The embedded PostgreSQL, which does not run while the product does not. */
async function ownDatabase({ dataDir }: Config, stack: AsyncDisposableStack): Promise<string> {
  const { postgresPassword: password } = readSecrets(dataDir);
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), password });
  stack.defer(() => postgres.stop());
  return ensureDatabase(postgres.url);
}

/** Addresses hold passwords, and every account of the machine can read a process's arguments. */
function destination(args: readonly string[], { settings }: Config) {
  const { MOVE_EVENTSTORE_URL: to, MOVE_DATABASE_URL: database } = settings;
  if (args.length > 0) {
    throw new OperatorError(`Addresses can be set in the environment only.\n\n${MOVE_USAGE}`);
  }
  if (!to) throw new OperatorError(`MOVE_EVENTSTORE_URL is missing.\n\n${MOVE_USAGE}`);
  return { to, database };
}
