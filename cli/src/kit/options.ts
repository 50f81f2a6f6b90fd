import type { Tallyhand } from '@tallyhand/client';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Reads an option that is a whole number. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return number;
  };

/** The examples at the end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ tallyhand ${line}`).join('\n')}`;

export const LIST_LIMIT = 50;
export const LIST_LIMIT_MAX = 100_000;

/** A command that has commands. */
export const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description).helpCommand(false);

type ListQuery = NonNullable<Parameters<Tallyhand['agents']['list']>[0]>;
type Sort = NonNullable<ListQuery['sort']>;
const SORTS = [
  'name',
  '-name',
  'createdAt',
  '-createdAt',
  'updatedAt',
  '-updatedAt',
] as const satisfies readonly Sort[];

export type SortAndSearch = { readonly sort?: Sort; readonly search?: string };

/** The options of a list of objects with names. */
export const sortedAndSearched = (command: Command, texts: string): Command =>
  command
    .addOption(
      new Option('--sort <field>', 'sort by this; with - in descending order').choices(SORTS),
    )
    .option('--search <text>', `with this text in the ${texts}`);
