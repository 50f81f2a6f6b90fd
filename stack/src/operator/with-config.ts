import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { type Config, deriveConfig } from '../supervisor/config.ts';

/** The whole life of a command's process that works on a data folder; one that throws ends with 1. */
export async function runConfigCommand(
  command: (
    args: readonly string[],
    config: Config,
    say: (line: string) => void,
  ) => Promise<readonly string[]>,
): Promise<void> {
  try {
    const baseDir = fileURLToPath(new URL('../../../', import.meta.url));
    const config = deriveConfig(readEnvironment(), baseDir);
    const say = (line: string) => console.log(line);
    for (const line of await command(process.argv.slice(2), config, say)) say(line);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
