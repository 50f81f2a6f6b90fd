import { z } from 'zod';
import { remember, remembered } from '../ui/remembered.ts';

/** Views of one list. */
export const VIEWS_MAX = 20;
const NAME_MAX = 40;
const SEARCH_MAX = 2_000;
/** Members and organizations in one browser; the one used longest ago is forgotten. */
const OWNERS_MAX = 10;

const View = z.object({
  name: z.string().trim().min(1).max(NAME_MAX),
  /** The filters and the sort, as in an address. */
  search: z.string().max(SEARCH_MAX),
  /** Shown when the list is opened without a filter. At most one of a list. */
  isDefault: z.boolean(),
});
export type View = z.infer<typeof View>;

const Stored = z.array(
  z.object({ owner: z.string(), lists: z.record(z.string(), z.array(View).max(VIEWS_MAX)) }),
);
type Stored = z.infer<typeof Stored>;

function stored(): Stored {
  try {
    const { data = [] } = Stored.safeParse(JSON.parse(remembered('views') ?? '[]'));
    return data;
  } catch {
    return [];
  }
}

/** The saved views of a list; `owner` is a member in an organization. */
export const viewsOf = (owner: string, list: string): readonly View[] =>
  stored().find((each) => each.owner === owner)?.lists[list] ?? [];

export function keepViews(owner: string, list: string, views: readonly View[]) {
  const all = stored();
  const lists = all.find((each) => each.owner === owner)?.lists;
  const others = all.filter((each) => each.owner !== owner);
  const kept = { owner, lists: { ...lists, [list]: views.slice(0, VIEWS_MAX) } };
  remember('views', JSON.stringify([kept, ...others].slice(0, OWNERS_MAX)));
}

/** With a view that was saved; a new default replaces the one before. */
export const withView = (views: readonly View[], view: View): View[] => [
  ...views.map((each) => (view.isDefault ? { ...each, isDefault: false } : each)),
  view,
];

/** Why a view can't have this name; `others` are the names of the others. */
export function nameFault(name: string, others: readonly string[]) {
  const given = name.trim();
  if (given === '') return 'empty';
  if (given.length > NAME_MAX) return 'long';
  const isTaken = others.some((other) => other.trim().toLowerCase() === given.toLowerCase());
  return isTaken ? 'taken' : undefined;
}

/** The part of an address that a view holds: these parameters, in their order. */
export function viewSearch(search: URLSearchParams, names: readonly string[]): string {
  const given = names.map((name) => [name, search.get(name) ?? '']);
  return new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
}
