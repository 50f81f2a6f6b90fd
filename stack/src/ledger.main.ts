import { fileURLToPath } from 'node:url';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { jsonLog } from '@tallyhand/service-kit/log';
import { LEDGER_USAGE, runLedgerCommand } from './operator/ledger-command.ts';
import { runningProduct } from './operator/running-product.ts';
import { deriveConfig } from './supervisor/config.ts';
import { readEnvironment } from './supervisor/env.ts';

const args = process.argv.slice(2);

async function run() {
  if (args.length === 0) return { lines: [LEDGER_USAGE], isWell: false };
  const baseDir = fileURLToPath(new URL('../../', import.meta.url));
  const config = deriveConfig(readEnvironment(), baseDir);
  const settings = { ...runningProduct(config), publicUrl: config.publicUrl };
  await using opened = await openKit({
    ...settings,
    trustProxy: false,
    rateLimitScale: 1,
    log: jsonLog('operator', 'silent'),
  });
  // Awaited here: what it works with is closed as soon as this function returns.
  return await runLedgerCommand(args, opened);
}

try {
  const { lines, isWell } = await run();
  console.log(lines.join('\n'));
  if (!isWell) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
