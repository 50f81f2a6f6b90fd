import { type Answered, Call } from './call.ts';
import { AnswerError } from './errors.ts';

/** The query of a page, as text. */
export type PageQuery = Readonly<Record<string, string>>;

/** Requests a page of the same list. */
export type ReadPage<T> = (query: PageQuery) => Promise<Answered<T[]>>;

/** A page of a list. Iterating over it continues with the pages after it. */
export class Page<T> implements AsyncIterable<T> {
  readonly data: readonly T[];
  readonly #next: PageQuery | null;
  readonly #read: ReadPage<T>;

  constructor(data: readonly T[], next: PageQuery | null, read: ReadPage<T>) {
    this.data = data;
    this.#next = next;
    this.#read = read;
  }

  hasNextPage(): boolean {
    return this.#next !== null;
  }

  /** The page after this one, or null on the last. */
  async nextPage(): Promise<Page<T> | null> {
    return this.#next && pageOf(await this.#read(this.#next), this.#next, this.#read).data;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | null = this; page; page = await page.nextPage()) yield* page.data;
  }
}

/** A list that was requested: a promise of its first page, and an iterator over all items. */
export class PageCall<T> extends Call<Page<T>> implements AsyncIterable<T> {
  constructor(query: PageQuery, read: ReadPage<T>) {
    super(read(query).then((answered) => pageOf(answered, query, read)));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }
}

function pageOf<T>(
  answered: Answered<T[]>,
  query: PageQuery,
  read: ReadPage<T>,
): Answered<Page<T>> {
  const { data, response } = answered;
  if (!Array.isArray(data)) throw new AnswerError('The answer is not a list');
  const next = nextQuery(response.headers.get('link'), query);
  return { ...answered, data: new Page(data, next, read) };
}

const NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next)\s*(?:;|$)/i;

/**
 * The query in the `Link` to the next page. Of the address only the query counts, so a link never
 * leads to another server. Null on the last page, and where the link leads back to the same page:
 * such a list has grown no further yet.
 */
export function nextQuery(link: string | null, current: PageQuery): PageQuery | null {
  const links = [...(link ?? '').matchAll(/<([^<>]*)>((?:[^,"]|"[^"]*")*)/g)];
  const target = links.find(([, , parameters = '']) => NEXT.test(parameters))?.[1];
  if (target === undefined) return null;
  const given = new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?')) : '');
  const next = Object.fromEntries(given);
  if (Object.keys(next).length === 0)
    throw new AnswerError('The link to the next page has no query');
  const isSame = (name: string) => next[name] === current[name];
  return Object.keys({ ...current, ...next }).every(isSame) ? null : next;
}
