/** The environment, for the rest of the command line. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const readEnvironment = (): Environment => process.env;
