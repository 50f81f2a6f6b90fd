import type { Agent, Article, Playbook, Tallyhand, Tool } from '@tallyhand/client';
import { CommandError, EXIT } from './failures.ts';

const PAGE = 500;
const NAMED_MAX = 10;
type Named = { readonly id: string; readonly name?: string; readonly title?: string };

export const nameOf = ({ name, title }: Named): string => name ?? title ?? '';

const refused = (message: string) => new CommandError(EXIT.refused, message);

/** The one with this id or name. Capital letters only matter where two names differ in nothing else. */
export async function named<T extends Named>(
  list: AsyncIterable<T>,
  wanted: string,
  noun: string,
): Promise<T> {
  const all = await allOf(list);
  const isWanted = (one: T) => one.id === wanted.toLowerCase() || nameOf(one) === wanted;
  const exact = all.filter(isWanted);
  const like = (one: T) => nameOf(one).toLowerCase() === wanted.toLowerCase();
  const found = exact.length > 0 ? exact : all.filter(like);
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (first) {
    const ids = found.map(({ id }) => `  ${id}`).join('\n');
    throw refused(`${found.length} ${noun}s have the name "${wanted}". Use an id:\n${ids}`);
  }
  const names = all.slice(0, NAMED_MAX).map((one) => `  ${nameOf(one)}`);
  const more = all.length > NAMED_MAX ? [`  and ${all.length - NAMED_MAX} more`] : [];
  const choice =
    names.length > 0 ? `There are:\n${[...names, ...more].join('\n')}` : 'There are none.';
  throw refused(`There is no ${noun} "${wanted}". ${choice}`);
}

export const namedAgent = (client: Tallyhand, wanted: string): Promise<Agent> =>
  named(client.agents.list({ limit: PAGE }), wanted, 'agent');
export const namedArticle = (client: Tallyhand, wanted: string): Promise<Article> =>
  named(client.articles.list({ limit: PAGE }), wanted, 'article');
export const namedPlaybook = (client: Tallyhand, wanted: string): Promise<Playbook> =>
  named(client.playbooks.list({ limit: PAGE }), wanted, 'playbook');
export const namedTool = (client: Tallyhand, wanted: string): Promise<Tool> =>
  named(client.tools.list({ limit: PAGE }), wanted, 'tool');

/** All of a list, or at most this many. */
export async function allOf<T>(
  list: AsyncIterable<T>,
  max = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) {
    if (found.push(one) >= max) break;
  }
  return found;
}
