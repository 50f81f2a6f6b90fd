import { fileURLToPath } from 'node:url';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { jsonLog } from '@tallyhand/service-kit/log';
import { deriveConfig } from '../supervisor/config.ts';
import { runningProduct } from './running-product.ts';

type Outcome = { readonly lines: readonly string[]; readonly isWell: boolean };

/**
 * The lifecycle of a command's process that uses the command service's kit, beside the running
 * product. Without arguments it prints its usage.
 */
export async function runKitCommand(
  usage: string,
  command: (args: readonly string[], opened: OpenedKit) => Promise<Outcome>,
): Promise<void> {
  try {
    const { lines, isWell } = await run(usage, command);
    console.log(lines.join('\n'));
    if (!isWell) process.exitCode = 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

async function run(
  usage: string,
  command: (args: readonly string[], opened: OpenedKit) => Promise<Outcome>,
): Promise<Outcome> {
  const args = process.argv.slice(2);
  if (args.length === 0) return { lines: [usage], isWell: false };
  const baseDir = fileURLToPath(new URL('../../../', import.meta.url));
  const config = deriveConfig(readEnvironment(), baseDir);
  const settings = { ...runningProduct(config), publicUrl: config.publicUrl };
  await using opened = await openKit({
    ...settings,
    trustProxy: false,
    rateLimitScale: 1,
    log: jsonLog('operator', 'silent'),
  });
  // Awaited here: its resources are closed as soon as this function returns.
  return await command(args, opened);
}
