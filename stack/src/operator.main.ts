import { fileURLToPath } from 'node:url';
import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Outcome } from './operator/command.ts';
import { runningProduct } from './operator/running-product.ts';
import { deriveConfig } from './supervisor/config.ts';

/*
 * node stack/src/operator.main.ts COMMAND …: the commands of operators, as `npm run COMMAND -- …`
 * starts them. Each loads only what it needs.
 */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<Outcome>>> = {
  async backup(args) {
    const { runBackupCommand } = await import('./operator/backup-command.ts');
    return { lines: await runBackupCommand(args, readConfig()), isWell: true };
  },
  async restore(args) {
    const { runRestoreCommand } = await import('./operator/restore-command.ts');
    return { lines: await runRestoreCommand(args, readConfig(), say), isWell: true };
  },
  async move(args) {
    const { runMoveCommand } = await import('./operator/move-command.ts');
    return { lines: await runMoveCommand(args, readConfig(), say), isWell: true };
  },
  async rebuild(args) {
    const { runRebuildCommand } = await import('./operator/rebuild-command.ts');
    return withProjectorRights(async ({ pool }) => {
      return { lines: [], isWell: await runRebuildCommand(args, pool, say) };
    });
  },
  async events(args) {
    const { runEventsCommand } = await import('./operator/events-command.ts');
    const { openEventLog } = await import('@tallyhand/service-kit/event-store/event-log');
    return withProjectorRights(async ({ pool, eventStoreReaderUrl }) => {
      const eventLog = openEventLog(eventStoreReaderUrl);
      try {
        return await runEventsCommand(args, { pool, eventLog });
      } finally {
        await eventLog.close();
      }
    });
  },
  async ledger(args) {
    const { LEDGER_USAGE, runLedgerCommand } = await import('./operator/ledger-command.ts');
    return withKit(LEDGER_USAGE, args, runLedgerCommand);
  },
  async payouts(args) {
    const { runPayoutsCommand } = await import('./operator/payouts-command.ts');
    const { settings } = readConfig();
    return withProjectorRights(({ pool }) => runPayoutsCommand(args, pool, settings));
  },
  async messages(args) {
    const { MESSAGES_USAGE, runMessagesCommand } = await import('./operator/messages-command.ts');
    return withKit(MESSAGES_USAGE, args, runMessagesCommand);
  },
  async 'reset-link'(args) {
    const { ACCOUNT_LINK_USAGE, accountLinkCommand } = await import(
      './operator/account-commands.ts'
    );
    return withKit(ACCOUNT_LINK_USAGE.reset, args, accountLinkCommand('reset'));
  },
  async 'device-link'(args) {
    const { ACCOUNT_LINK_USAGE, accountLinkCommand } = await import(
      './operator/account-commands.ts'
    );
    return withKit(ACCOUNT_LINK_USAGE.device, args, accountLinkCommand('device'));
  },
  async 'rotate-audit-key'(args) {
    const { runRotateAuditKeyCommand } = await import('./operator/rotate-audit-key-command.ts');
    return withKit(null, args, runRotateAuditKeyCommand);
  },
  async 'second-factor'(args) {
    const { runSecondFactorCommand, SECOND_FACTOR_USAGE } = await import(
      './operator/account-commands.ts'
    );
    return withKit(SECOND_FACTOR_USAGE, args, runSecondFactorCommand);
  },
};

const say = (line: string) => console.log(line);

const readConfig = () =>
  deriveConfig(readEnvironment(), fileURLToPath(new URL('../../', import.meta.url)));

/** Runs a command with the projector's rights: it reads the rows of every organization. */
async function withProjectorRights(
  command: (parts: {
    readonly pool: pg.Pool;
    readonly eventStoreReaderUrl: string;
  }) => Promise<Outcome>,
): Promise<Outcome> {
  const { databaseUrl, masterKey, eventStoreReaderUrl } = runningProduct(readConfig());
  const pool = openPool(roleUrl(databaseUrl, masterKey, 'projector'), 1);
  try {
    return await command({ pool, eventStoreReaderUrl });
  } finally {
    await pool.end();
  }
}

/**
 * Runs a command with the command service's kit, beside the running product. `usage`: for a call
 * without arguments; null if it needs none.
 */
async function withKit(
  usage: string | null,
  args: readonly string[],
  command: (args: readonly string[], opened: OpenedKit) => Promise<Outcome>,
): Promise<Outcome> {
  if (usage !== null && args.length === 0) return { lines: [usage], isWell: false };
  const { openKit } = await import('@tallyhand/command-service/app/open-kit');
  const { jsonLog } = await import('@tallyhand/service-kit/log');
  const config = readConfig();
  await using opened = await openKit({
    ...runningProduct(config),
    publicUrl: config.publicUrl,
    trustProxy: false,
    rateLimitScale: 1,
    log: jsonLog('operator', 'silent'),
  });
  // Awaited here: the kit is closed as soon as this function returns.
  return await command(args, opened);
}

const [, , name = '', ...args] = process.argv;
try {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new Error(`Name a command: ${Object.keys(COMMANDS).join(', ')}.`);
  const { lines, isWell } = await command(args);
  if (lines.length > 0) say(lines.join('\n'));
  if (!isWell) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
