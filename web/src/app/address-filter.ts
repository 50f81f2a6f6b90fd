import { SearchText } from '@tallyhand/contracts/kernel/lists';
import { z } from 'zod';
import { PERIODS } from '../ui/periods.ts';

/** What an address asks for: a filter's values as they stand in it. */
export type AddressFilter<Name extends string> = Partial<Record<Name, string>>;

/** The names of a filter's values, and how it is read from an address. */
export type FilterCodec<Name extends string> = {
  names: readonly Name[];
  read: (search: URLSearchParams) => AddressFilter<Name>;
};

type Check = { safeParse(value: string): { success: boolean } };

/** A day whose neighbours have years of four digits too, wherever on Earth the person is. */
const Day = z.iso.date().refine((day) => day > '0001-01-01' && day < '9999-12-31');

/** A period, or the first and the last day. */
export const DayFields = { period: z.enum(PERIODS), from: Day, to: Day };

/** The text that is searched for. */
export const SearchField = { q: SearchText('it') };

/** The filter that an address holds in these fields, without what the server would refuse. */
export function addressFilter<Name extends string>(
  fields: Readonly<Record<Name, Check>>,
): FilterCodec<Name> {
  const names = Object.keys(fields) as Name[];
  const read = (search: URLSearchParams) => {
    const given = names.map((name) => [name, search.get(name)?.trim() ?? ''] as const);
    const valid = given.filter(
      ([name, value]) => value !== '' && fields[name].safeParse(value).success,
    );
    return Object.fromEntries(valid) as AddressFilter<Name>;
  };
  return { names, read };
}
