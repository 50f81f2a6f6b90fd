import { z } from 'zod';

/** What an address asks for: a filter's values as they stand in it. */
export type AddressFilter<Name extends string> = Partial<Record<Name, string>>;

type Check = { safeParse(value: string): { success: boolean } };

/** A day whose neighbours have years of four digits too, wherever on Earth the person is. */
export const Day = z.iso.date().refine((day) => day > '0001-01-01' && day < '9999-12-31');

/** The filter in an address, without what the server would refuse. */
export function filterIn<Name extends string>(
  fields: Readonly<Record<Name, Check>>,
  search: URLSearchParams,
): AddressFilter<Name> {
  const names = Object.keys(fields) as Name[];
  const given = names.map((name) => [name, search.get(name)?.trim() ?? ''] as const);
  const valid = given.filter(
    ([name, value]) => value !== '' && fields[name].safeParse(value).success,
  );
  return Object.fromEntries(valid) as AddressFilter<Name>;
}
