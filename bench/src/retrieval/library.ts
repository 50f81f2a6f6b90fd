import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EngineConfig } from '@tallyhand/agent-runtime/choose-engine';
import type { Answer, Passage } from '@tallyhand/agent-runtime/engine';
import type { EmbeddingModels } from '@tallyhand/command-service/features/models/embedding-models';
import {
  passagesByMeaning,
  passagesByWords,
  searchPassages,
} from '@tallyhand/command-service/features/tasks/search-passages';
import { cosine, vectorIn } from '@tallyhand/command-service/kit/vectors';
import type { AgentProfile } from '@tallyhand/contracts/features/agents/agents.fields';
import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getMeaningSearch,
  type MeaningSearch,
} from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import { offlineEngine } from '@tallyhand/offline-engine/offline-engine';
import { START } from '@tallyhand/service-kit/event-store/position';
import { jsonLog } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { startApplication } from '@tallyhand/stack/application/start';
import pg from 'pg';
import { type ApiClient, registerOrganization } from '../../../test-kit/src/api-client.ts';
import { startBackends } from '../ledger-backends.ts';
import { openBenchKit } from '../ledger-kit.ts';

const folderOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Texts as an organization's articles, and what tasks and chats do with them. */
export type Library = AsyncDisposable & {
  /** The passages handed to an engine, best first; or those that words or vectors alone find. */
  find(question: string, by?: Way): Promise<Passage[]>;
  /** The passages closest to a question, best first, after comparing all vectors. */
  closest(question: string, count: number): Promise<PassageName[]>;
  /** Gives so many other organizations the same passages and vectors. */
  copyTo(organizations: number): Promise<void>;
  /** Whether the server offers pgvector, whose index is then used. */
  hasVectorIndex(): Promise<boolean>;
  /** the offline engine's answer from these passages. */
  answer(question: string, passages: Passage[]): Promise<Answer>;
  /** The name of the text that an article was made of. */
  textOf(articleId: string): string | undefined;
};

const WAYS = {
  both: searchPassages,
  words: async (...asked: Parameters<typeof passagesByWords>) =>
    (await passagesByWords(...asked)).map(({ passage }) => passage),
  vectors: passagesByMeaning,
};
export type Way = keyof typeof WAYS;

/** Article and ordinal. */
export type PassageName = string;
export const nameOf = ({ articleId, ordinal }: Pick<Passage, 'articleId' | 'ordinal'>) =>
  `${articleId} ${ordinal}`;

/** A text that becomes an article; its first line is the title. */
type Text = { readonly name: string; readonly markdown: string };

/** The texts of a folder beside this file. */
export async function textsIn(folder: Folder): Promise<Text[]> {
  const texts = new URL(`${folder}/`, import.meta.url);
  const files = (await readdir(texts)).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.md$/, ''),
      markdown: await readFile(new URL(file, texts), 'utf8'),
    })),
  );
}

type Folder = 'texts' | 'development-texts' | 'support-texts';

/**
 * Loads texts through the product's API, on an event store and a PostgreSQL of their own, and waits
 * until they can be found: with the embedding model of an endpoint also by meaning.
 */
export async function openLibrary(
  texts: readonly Text[],
  model: EngineConfig = {},
): Promise<Library> {
  await using opening = new AsyncDisposableStack();
  const { kit: settings } = opening.use(await startBackends());
  const application = opening.use(
    await startApplication({
      ...settings,
      migrateDatabaseUrl: settings.databaseUrl,
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'http://127.0.0.1',
      trustProxy: false,
      rateLimitScale: 1_000,
      model,
      webFolder: folderOf('web/dist/'),
      log: jsonLog('bench', 'warn'),
    }),
  );
  const { client, user } = await registerOrganization(`http://127.0.0.1:${application.port}`);
  const names = new Map<string, string>();
  let last = '';
  for (const { name, markdown } of texts) {
    const [first = '', ...lines] = markdown.split('\n');
    const title = first.replace(/^# /, '');
    const body = { title, content: lines.join('\n').trim(), category: 'Texts' };
    const { status, body: article } = await client.call<Article>(createArticle, { body });
    if (status !== 201) throw new Error(`${name} was answered ${status}`);
    names.set(article.id, name);
    last = article.id;
  }
  // A read waits until the read models have what was written.
  await client.send('GET', `/api/knowledge/${last}`);
  if (model.openAiEmbeddingModel) await embedded(client);
  const { kit, features } = opening.use(await openBenchKit({ ...settings, model }));
  const { id: organizationId } = user.organization;
  const meanings = new Map<string, ReturnType<EmbeddingModels['meaningOf']>>();
  /** Asked once for each question: the search is measured, and not the endpoint. */
  const meaningOf = (question: string) => {
    const known = meanings.get(question);
    const meaning = known ?? features.embeddingModels.meaningOf(organizationId, question, START);
    if (!known) meanings.set(question, meaning);
    return meaning;
  };
  let vectors: Promise<NamedVector[]> | undefined;
  const engine = offlineEngine();
  const opened = opening.move();
  return {
    find: (question, by = 'both') =>
      WAYS[by](kit.pool, { organizationId, articles: [...names.keys()], question, meaningOf }),
    async closest(question, count) {
      const { vector } = (await meaningOf(question)) ?? {};
      if (!vector) throw new Error(`Not embedded: ${question}`);
      vectors ??= vectorsOf(kit.pool, organizationId, [...names.keys()]);
      const ranked = (await vectors).map((one) => ({
        name: one.name,
        likeness: cosine(one.vector, vector),
      }));
      return ranked
        .sort((a, b) => b.likeness - a.likeness)
        .slice(0, count)
        .map(({ name }) => name);
    },
    async hasVectorIndex() {
      const { rows } = await kit.pool.query(
        `select to_regtype('extensions.halfvec') is not null as has`,
      );
      return rows[0].has;
    },
    copyTo: (count) => copyTo(settings.databaseUrl, organizationId, count),
    answer: (input, passages) =>
      engine.answer({ agent, input, passages, signal: new AbortController().signal }),
    textOf: (articleId) => names.get(articleId),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const COPIED = ['read_model.articles', 'read_model.passages', 'operational.passage_vectors'];

/** Copies what a search reads, as the superuser. */
async function copyTo(databaseUrl: string, from: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let at = 0; at < count; at += 1) {
      const to = randomUUID();
      for (const table of COPIED) {
        await client.query(
          `insert into ${table} select c.* from ${table} r
           cross join lateral jsonb_populate_record(r, jsonb_build_object('organization_id', $2::uuid,
             'article_id', md5($2::text || r.article_id)::uuid)) c
           where r.organization_id = $1`,
          [from, to],
        );
      }
    }
    await client.query(`analyze ${COPIED.join(', ')}`);
  } finally {
    await client.end();
  }
}

type NamedVector = { readonly name: PassageName; readonly vector: Float32Array };

async function vectorsOf(pool: pg.Pool, organizationId: string, articles: readonly string[]) {
  const all: NamedVector[] = [];
  for (const articleId of articles) {
    const { rows } = await inTenant(pool, organizationId, (client) =>
      client.query<{ ordinal: number; vector: Buffer }>(
        `select p.ordinal, v.numbers as vector from read_model.passages p
         join operational.passage_vectors v on v.organization_id = p.organization_id
           and v.article_id = p.article_id and v.passage_hash = p.hash
         where p.article_id = $1 and p.is_current`,
        [articleId],
      ),
    );
    for (const { ordinal, vector } of rows) {
      all.push({ name: nameOf({ articleId, ordinal }), vector: vectorIn(vector) });
    }
  }
  return all;
}

/** Each look compares all passages with their vectors. */
const LOOK_AGAIN_MS = 3_000;

/** Waits until all articles are embedded, however long the endpoint takes. */
async function embedded(client: ApiClient): Promise<void> {
  for (;;) {
    const { body } = await client.call<MeaningSearch>(getMeaningSearch, {});
    if (body.failure) throw new Error(`The embedding model fails: ${body.failure.text}`);
    if (body.articles > 0 && body.embedded === body.articles) return;
    await pause(LOOK_AGAIN_MS);
  }
}

const agent: AgentProfile = {
  name: 'Reader',
  description: 'Answers from the texts',
  persona: {
    role: 'Reader',
    personality: 'Exact',
    expertise: [],
    communicationStyle: 'professional',
    responseFormat: 'detailed',
  },
};
