/** The settings of the browser runner from the environment. */
export const chromiumPath = (): string | undefined => process.env.CHROMIUM_PATH || undefined;

/** The part of the environment that a browser may see: it has no secrets. */
export function browserEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}

/** The folder for browser profiles. */
export function useTemporaryFolder(path: string): void {
  process.env.TMPDIR = path;
}
