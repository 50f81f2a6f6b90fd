import type { Endpoint } from './endpoint.ts';
import { isPaged } from './openapi-responses.ts';

/** What a client library calls a verb of our names. */
const VERBS: Readonly<Record<string, string>> = {
  get: 'retrieve',
  list: 'list',
  create: 'create',
  change: 'update',
  rename: 'update',
  delete: 'delete',
};

/** Parts of a path that are called differently in prose. */
const NOUNS: Readonly<Record<string, string>> = {
  knowledge: 'articles',
  autonomous: 'sessions',
  'email-integration': 'mailboxes',
  'email-integrations': 'mailboxes',
};

const SMALL_WORDS = ['With', 'On', 'By', 'Of', 'To'];

/**
 * The name of a call in client libraries: `agents.create`, `billing.ledger.export`, `search`. The
 * fixed parts of the path are the groups; the method is the verb of the call's name, and those of
 * its words that neither the groups nor the feature say.
 */
export function clientMethodOf(endpoint: Endpoint): string {
  const { name, feature, path } = endpoint;
  const [verb = '', ...words] = name.split(/(?=[A-Z])/);
  const segments = path.replace(/^\/api\//, '').split('/');
  const groups = (endsInAction(endpoint, segments, verb) ? segments.slice(0, -1) : segments)
    .filter((segment) => !isParameter(segment))
    .map((segment) => NOUNS[segment] ?? segment)
    .filter((noun, index, all) => noun !== all[index - 1]);
  const said = [...groups, feature].flatMap((text) => text.split('-'));
  const isVerbEnough = segments.at(-1) === verb && segments.length > 2;
  const rest = isVerbEnough ? [] : words.filter((word) => !isSaid(word, said));
  const method = isPaged(endpoint) ? 'list' : (VERBS[verb] ?? camelCase([verb, ...rest]));
  if (groups.length === 0 && method !== feature) groups.push(feature);
  return [...groups.map((group) => camelCase(group.split('-'))), method].join('.');
}

/** Whether the last part of the path is what is done, and not what it is done to. */
function endsInAction({ method, status }: Endpoint, segments: readonly string[], verb: string) {
  const last = segments.at(-1) ?? '';
  if (isParameter(last)) return false;
  const isCreated = status === 201 || status === 202;
  return last.split('-')[0] === verb || (method === 'POST' && !isCreated);
}

const isParameter = (segment: string) => segment.startsWith('{');

const isSaid = (word: string, said: readonly string[]) =>
  SMALL_WORDS.includes(word) ||
  said.some((text) => text.startsWith(word.toLowerCase().replace(/s$/, '')));

const camelCase = ([first = '', ...words]: readonly string[]) =>
  [first, ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
