/** The environment as the process was given it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env };
}
