/** The environment of the process. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env };
}
