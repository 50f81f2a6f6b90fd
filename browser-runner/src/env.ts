/** The settings of the browser runner, as the environment gives them. */
export const chromiumPath = (): string | undefined => process.env.CHROMIUM_PATH || undefined;

/** Of the environment, the part that a browser may see: no secret of ours is in it. */
export function browserEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}

/** Where browsers of this process, and what launches them, put their profiles. */
export function useTemporaryFolder(path: string): void {
  process.env.TMPDIR = path;
}
