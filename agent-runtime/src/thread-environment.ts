import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of a thread that works on what others have entered: none, except for the folder of
 * compiled modules, without which each thread compiles its modules again.
 */
export function threadEnvironment(): NodeJS.ProcessEnv {
  // Node adds a folder for its version.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
