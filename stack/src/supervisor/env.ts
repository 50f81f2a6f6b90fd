/** The settings as the environment gives them. This is the only place here that reads it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env };
}
