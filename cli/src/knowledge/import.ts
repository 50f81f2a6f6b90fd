import type { Article, Tallyhand } from '@tallyhand/client';
import type { Cli } from '../kit/cli.ts';
import { CommandError, EXIT, failureOf, Interrupted } from '../kit/failures.ts';
import { confirm } from '../kit/prompt.ts';
import { oneLine, plural } from '../kit/terminal.ts';
import { type Markdown, readMarkdown } from './markdown.ts';
import {
  markIn,
  ownTags,
  readSource,
  type SourceFile,
  sourceMark,
  sourceName,
  sourcePaths,
  tagOf,
} from './source-files.ts';

export type ImportOptions = {
  readonly source?: string;
  readonly category: string;
  readonly prune?: true;
  readonly yes?: true;
};

type Imported = { readonly file: string; readonly id: string; readonly title: string };
type Outcome = {
  readonly created: Imported[];
  readonly updated: Imported[];
  readonly unchanged: string[];
  readonly failed: { readonly file: string; readonly message: string }[];
  /** Articles whose files are gone. */
  readonly gone: { readonly id: string; readonly title: string; readonly deleted: boolean }[];
};

const PAGE = 500;
/** The server reads 20 files a minute, and says how long to wait for the next. */
const IMPORT_RETRIES = 20;

/** Makes an article of each file, and brings those up to date whose files have changed. */
export async function importFolder(cli: Cli, folder: string, options: ImportOptions) {
  const { terminal } = cli;
  const paths = await sourcePaths(folder);
  const source = options.source ?? sourceName(folder);
  const client = await cli.client();
  const known = await articlesOf(client, source);
  const outcome: Outcome = { created: [], updated: [], unchanged: [], failed: [], gone: [] };
  const importer = new Importer(client, options.category, known, outcome);
  const progress = terminal.progress(paths.length);
  let isInterrupted = false;
  await cli
    .untilInterrupted(async (signal) => {
      for (const [index, path] of paths.entries()) {
        if (signal.aborted) break;
        progress.show(index, path);
        try {
          await importer.import(await readSource(folder, source, path), signal);
        } catch (error) {
          if (error instanceof Interrupted) break;
          const { exitCode, message } = failureOf(error);
          // No further file would fare better.
          if (exitCode === EXIT.notSignedIn || exitCode === EXIT.unreachable) throw error;
          outcome.failed.push({ file: path, message: message.split('\n').join('; ') });
        }
      }
      isInterrupted = signal.aborted;
    })
    .finally(() => progress.end());
  if (!isInterrupted) await settleGone(cli, importer, options);
  terminal.answer(outcome, () => summaryOf(outcome));
  for (const { file, message } of outcome.failed) terminal.note(`${file}: ${oneLine(message)}`);
  if (isInterrupted) {
    terminal.note('Interrupted. Run the command again to continue.');
    throw new Interrupted();
  }
  if (outcome.failed.length > 0) {
    throw new CommandError(EXIT.failed, `${plural(outcome.failed.length, 'file')} failed.`);
  }
}

/** The articles that were imported from this source, by the marks of their paths. */
async function articlesOf(client: Tallyhand, source: string): Promise<Map<string, Article[]>> {
  const found = new Map<string, Article[]>();
  for await (const article of client.articles.list({ limit: PAGE })) {
    const mark = markIn(article.tags);
    if (mark?.source !== sourceMark(source)) continue;
    found.set(mark.path, [...(found.get(mark.path) ?? []), article]);
  }
  return found;
}

class Importer {
  readonly client: Tallyhand;
  readonly outcome: Outcome;
  readonly #category: string;
  readonly #known: ReadonlyMap<string, readonly Article[]>;
  readonly #seen = new Set<string>();

  constructor(
    client: Tallyhand,
    category: string,
    known: ReadonlyMap<string, readonly Article[]>,
    outcome: Outcome,
  ) {
    this.client = client;
    this.outcome = outcome;
    this.#category = category;
    this.#known = known;
  }

  async import(file: SourceFile, signal: AbortSignal): Promise<void> {
    this.#seen.add(file.mark.path);
    const [article, other] = this.#known.get(file.mark.path) ?? [];
    if (other) {
      const ids = [article?.id, other.id].join(', ');
      throw new CommandError(
        EXIT.refused,
        `Several articles come from this file: ${ids}. Delete one.`,
      );
    }
    const { content } = (article && markIn(article.tags)) ?? {};
    if (content === file.mark.content) {
      this.outcome.unchanged.push(file.path);
      return;
    }
    const { id, title } = article
      ? await this.#update(article, file, signal)
      : await this.#create(file, signal);
    const list = article ? this.outcome.updated : this.outcome.created;
    list.push({ file: file.path, id, title });
  }

  /** The articles that no file belongs to any more. */
  get gone(): Article[] {
    const all = [...this.#known].filter(([path]) => !this.#seen.has(path));
    return all.flatMap(([, articles]) => articles);
  }

  async #create(file: SourceFile, signal: AbortSignal): Promise<Article> {
    const fields = { category: this.#category, tags: [tagOf(file.mark)] };
    const markdown = await this.#markdownOf(file, signal);
    return await this.client.articles.create({ ...markdown, ...fields }, { signal });
  }

  /** Keeps the article's id, and with it the agents that use it. */
  async #update({ id, tags }: Article, file: SourceFile, signal: AbortSignal): Promise<Article> {
    const marked = { tags: [...ownTags(tags), tagOf(file.mark)] };
    const markdown = await this.#markdownOf(file, signal);
    return await this.client.articles.update(id, { ...markdown, ...marked }, { signal });
  }

  /** The server reads PDF, DOCX and what is not UTF-8. */
  async #markdownOf(file: SourceFile, signal: AbortSignal): Promise<Markdown> {
    const { path, bytes } = file;
    const own = /\.(md|markdown)$/i.test(path) ? readMarkdown(path, bytes) : null;
    if (own) return own;
    const sent = { file: { name: path.replace(/^.*\//, ''), content: bytes } };
    const { title, content } = await this.client.articles.convertDocument(sent, {
      signal,
      retries: IMPORT_RETRIES,
    });
    return { title, content };
  }
}

async function settleGone(cli: Cli, { client, gone, outcome }: Importer, options: ImportOptions) {
  if (gone.length > 0 && options.prune) {
    const titles = gone.map(({ title }) => `  ${oneLine(title)}`).join('\n');
    const question = `${titles}\nDelete ${plural(gone.length, 'article')} whose files are gone?`;
    await confirm(cli.terminal, question, options.yes === true);
  }
  for (const { id, title } of gone) {
    if (options.prune) await client.articles.delete(id);
    outcome.gone.push({ id, title, deleted: options.prune === true });
  }
}

function summaryOf({ created, updated, unchanged, failed, gone }: Outcome): string {
  const deleted = gone.filter((one) => one.deleted).length;
  const left = gone.length - deleted;
  const parts = [
    `${created.length} created`,
    `${updated.length} updated`,
    `${unchanged.length} unchanged`,
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
    `${failed.length} failed`,
  ];
  const rest = left > 0 ? ` The files of ${plural(left, 'article')} are gone; see --prune.` : '';
  return `${parts.join(', ')}.${rest}`;
}
