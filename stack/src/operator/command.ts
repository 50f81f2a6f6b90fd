import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The reason why a command failed, for the operator. */
export class OperatorError extends Error {}

/** What a command prints at its end; unless `isWell`, its process exits with status 1. */
export type Outcome = { readonly lines: readonly string[]; readonly isWell: boolean };

/** Options and positional arguments; throws an OperatorError with the usage. */
export function parseCommand<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new OperatorError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** The one file that a command takes. */
export function oneFile([file, ...more]: readonly string[], usage: string): string {
  if (!file || more.length > 0) throw new OperatorError(`Name one file.\n\n${usage}`);
  return file;
}
