import { EMBEDDED_TEXTS_MAX } from '@tallyhand/agent-runtime/openai/embeddings';
import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition, parsePosition } from '@tallyhand/service-kit/event-store/position';
import { errorFields } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';
import { bytesOf, signsOf } from '../../kit/vectors.ts';
import type { EmbeddingModel, EmbeddingModels } from './embedding-models.ts';

/** Organizations whose articles are embedded at the same time. */
const LANES = 3;
/** Longer than a turn takes: a worker that dies leaves its organization to another one. */
const LEASE = '5 minutes';
/** Passages of one turn, in a few requests. */
const TURN_MAX = 128;
const READ_MODELS_WAIT_MS = 15_000;
const FAILED_SECONDS = 60;
const FAILED_SECONDS_MAX = 600;
/** While the passages are being rebuilt. */
const REBUILD_SECONDS = 20;

export type EmbeddingTimes = {
  /** How often organizations are looked for whose model failed before. */
  readonly everyMs: number;
};
const TIMES: EmbeddingTimes = { everyMs: 10_000 };

/** An article or its place in an organization changed: something may have to be embedded. */
const OF_ARTICLES = ['ArticleCreated', 'ArticleChanged', 'ArticleDeleted', 'ArticleRestored'];
/** The model may have changed: an endpoint that failed is tried at once. */
const OF_MODELS = [
  'OrganizationClosed',
  'EmbeddingModelChosen',
  'ConnectionChanged',
  'ConnectionDeleted',
  'ConnectionRestored',
];

type Due = {
  readonly organizationId: string;
  readonly position: string | null;
  readonly space: string | null;
  readonly failures: number;
  readonly hasFailed: boolean;
};

type Missing = {
  readonly articleId: string;
  /** Null while the passages are being rebuilt after an upgrade. */
  readonly hash: string | null;
  readonly title: string;
  readonly heading: string | null;
  readonly text: string;
};

/** How an organization's turn ended: with more to do, done, or to be tried again. */
type Outcome =
  | { readonly kind: 'more' }
  | { readonly kind: 'done'; readonly failure?: Sentence }
  | { readonly kind: 'later'; readonly seconds: number; readonly failure?: Sentence };

/**
 * Embeds the articles of organizations that have an embedding model, in the background. What is
 * missing follows from the passages and their vectors, so it may be stopped at any time. Organizations
 * take turns.
 */
export class ArticleEmbedding {
  readonly #kit: Kit;
  readonly #models: EmbeddingModels;
  readonly #indexed = new Set<number>();
  #wake = () => {};

  constructor(kit: Kit, models: EmbeddingModels) {
    this.#kit = kit;
    this.#models = models;
  }

  /** Notes which organizations may have something to embed. */
  readonly reaction: Reaction = {
    name: 'note-articles-to-embed',
    handle: async (events) => {
      const { positions, retried } = changesToEmbed(events, this.#models.standard !== null);
      if (positions.size === 0) return;
      await this.#kit.pool.query(
        `insert into operational.embeddings as e (organization_id, position, next_at)
         select *, now() from unnest($1::uuid[], $2::text[])
         on conflict (organization_id) do update set position = excluded.position,
           failures = case when e.organization_id = any($3) then 0 else e.failures end,
           next_at = case when e.organization_id = any($3) then now()
             else coalesce(e.next_at, now()) end`,
        [[...positions.keys()], [...positions.values()], [...retried]],
      );
      this.#wake();
    },
  };

  /** Embeds until it is disposed of. */
  async run({ everyMs }: EmbeddingTimes = TIMES): Promise<AsyncDisposable> {
    const { log } = this.#kit;
    const stopping = new AbortController();
    const { signal } = stopping;
    let woken = Promise.withResolvers<void>();
    this.#wake = () => {
      woken.resolve();
      woken = Promise.withResolvers();
    };
    const lane = async () => {
      while (!signal.aborted) {
        // A call to wake up during the turn is not missed.
        const { promise } = woken;
        const isDone = await this.#takeTurn(signal).catch((error) => {
          log.warn('articles were not embedded', errorFields(error));
          return true;
        });
        if (isDone && !signal.aborted) await orAfter(everyMs, promise);
      }
    };
    await this.#noteWhereDefaultChanged();
    const lanes = Array.from({ length: LANES }, lane);
    return {
      [Symbol.asyncDispose]: async () => {
        stopping.abort();
        this.#wake();
        await Promise.all(lanes);
      },
    };
  }

  /** The operator has set another model than at the last look, or none was there before. */
  async #noteWhereDefaultChanged() {
    await this.#kit.pool.query(
      `insert into operational.embeddings as e (organization_id, next_at)
       select distinct organization_id, now() from operational.access
       where is_active and ($1::uuid is not null
         or organization_id in (select organization_id from operational.embeddings))
       on conflict (organization_id) do update set next_at = coalesce(e.next_at, now())
         where e.default_space is distinct from $1`,
      [this.#models.standard?.space ?? null],
    );
  }

  /** Returns whether no organization waits. */
  async #takeTurn(signal: AbortSignal): Promise<boolean> {
    const { pool, log } = this.#kit;
    const { rows } = await pool.query<Due>(
      `update operational.embeddings set leased_until = now() + $1::interval
       where organization_id = (select organization_id from operational.embeddings
         where next_at <= now() and (leased_until is null or leased_until < now())
         order by next_at limit 1 for update skip locked)
       returning organization_id as "organizationId", position, space, failures,
         failure is not null as "hasFailed"`,
      [LEASE],
    );
    const due = rows[0];
    if (!due) return true;
    const outcome = await this.#embedNext(due, signal).catch((error): Outcome => {
      const { organizationId } = due;
      if (signal.aborted) return { kind: 'more' };
      log.warn('articles were not embedded', { organizationId, ...errorFields(error) });
      return { kind: 'later', seconds: FAILED_SECONDS };
    });
    await this.#release(due, outcome);
    return false;
  }

  async #release({ organizationId, position, failures }: Due, outcome: Outcome) {
    const { kind } = outcome;
    const failure = ('failure' in outcome && outcome.failure) || null;
    const seconds = kind === 'later' ? outcome.seconds : 0;
    // A change in the meantime is looked at now.
    await this.#kit.pool.query(
      `update operational.embeddings set leased_until = null, default_space = $3,
         failure = case when $4 = 'later' then coalesce($5, failure) else $5 end, failures = $6,
         next_at = case when position is distinct from $2 or $4 = 'more' then now()
           when $4 = 'later' then now() + make_interval(secs => $7) end
       where organization_id = $1`,
      [
        organizationId,
        position,
        this.#models.standard?.space ?? null,
        kind,
        failure && JSON.stringify(failure),
        failure && kind === 'later' ? failures + 1 : 0,
        seconds,
      ],
    );
  }

  async #embedNext(due: Due, signal: AbortSignal): Promise<Outcome> {
    const { organizationId, failures } = due;
    const position = parsePosition(due.position ?? '') ?? undefined;
    if (position && !(await this.#kit.readPosition.reached(position, READ_MODELS_WAIT_MS))) {
      return { kind: 'later', seconds: 1 };
    }
    const found = await this.#models.of(organizationId, position);
    if (found && !('space' in found)) return { kind: 'done', failure: found };
    const isOther = (found?.space ?? null) !== due.space;
    if (isOther && !found) await this.#forgetAll(organizationId);
    if (isOther) await this.#noteModel(organizationId, found);
    if (!found) return { kind: 'done' };
    const missing = await this.#missing(organizationId, found);
    const known = missing.filter(({ hash }) => hash !== null);
    if (missing.length > 0 && known.length === 0)
      return { kind: 'later', seconds: REBUILD_SECONDS };
    // Whether the model answers again is tried with a word.
    const texts = known.length > 0 ? known.map(textOf) : due.hasFailed ? ['OK'] : [];
    for (let from = 0; from < texts.length; from += EMBEDDED_TEXTS_MAX) {
      const batch = texts.slice(from, from + EMBEDDED_TEXTS_MAX);
      const embedded = await found.forArticles.embed(batch, signal);
      if (embedded.vectors === null) {
        const seconds = Math.min(FAILED_SECONDS * 2 ** failures, FAILED_SECONDS_MAX);
        return { kind: 'later', seconds, failure: embedded.failure };
      }
      await this.#keep(organizationId, found, {
        ...embedded,
        passages: known.slice(from, from + EMBEDDED_TEXTS_MAX),
      });
    }
    if (known.length > 0) return { kind: 'more' };
    if (position) await this.#forgetOld(organizationId, found);
    return { kind: 'done' };
  }

  /** Tokens are counted for the model in use. */
  async #noteModel(organizationId: string, found: EmbeddingModel | null) {
    await this.#kit.pool.query(
      `update operational.embeddings set space = $2, model = $3, input_tokens = 0,
         is_estimated = false, failure = null
       where organization_id = $1`,
      [organizationId, found?.space ?? null, found?.model ?? null],
    );
  }

  async #missing(organizationId: string, { space }: EmbeddingModel): Promise<Missing[]> {
    const { rows } = await inTenant(this.#kit.pool, organizationId, (client) =>
      client.query<Missing>(
        `select p.article_id as "articleId", p.hash, a.title, p.heading, p.text
         from read_model.articles a
         join read_model.passages p on p.article_id = a.article_id and p.version = a.version
         where a.organization_id = $1 and a.deleted_at is null and not exists (
           select from operational.passage_vectors v
           where v.organization_id = $1 and v.article_id = p.article_id
             and v.passage_hash = p.hash and v.space = $2)
         limit $3`,
        [organizationId, space, TURN_MAX],
      ),
    );
    // An article may repeat a passage.
    return [...new Map(rows.map((one) => [`${one.articleId} ${one.hash}`, one])).values()];
  }

  async #keep(
    organizationId: string,
    { space }: EmbeddingModel,
    {
      passages,
      vectors,
      usage,
    }: {
      readonly passages: readonly Missing[];
      readonly vectors: readonly Float32Array[];
      readonly usage: TokenUsage;
    },
  ) {
    await inTenant(this.#kit.pool, organizationId, async (client) => {
      const rows = passages.map(({ articleId, hash }, at) => {
        const vector = vectors[at] ?? new Float32Array();
        const stored = { bits: signsOf(vector), numbers: bytesOf(vector) };
        return { articleId, hash, ...stored, vector: `{${vector.join(',')}}` };
      });
      await client.query(
        `insert into operational.passage_vectors as v
           (organization_id, article_id, passage_hash, space, bits, vector, numbers)
         select $1, article_id, hash, $2, bits::varbit, vector::real[], numbers
         from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bytea[])
           m(article_id, hash, bits, vector, numbers)
         on conflict (organization_id, article_id, passage_hash) do update
           set space = excluded.space, bits = excluded.bits, vector = excluded.vector,
             numbers = excluded.numbers`,
        [
          organizationId,
          space,
          rows.map(({ articleId }) => articleId),
          rows.map(({ hash }) => hash),
          rows.map(({ bits }) => bits),
          rows.map(({ vector }) => vector),
          rows.map(({ numbers }) => numbers),
        ],
      );
      await client.query(
        `update operational.embeddings set input_tokens = input_tokens + $2,
           is_estimated = is_estimated or $3
         where organization_id = $1`,
        [organizationId, usage.inputTokens, usage.isEstimated],
      );
    });
    const dimensions = vectors[0]?.length;
    if (dimensions === undefined || this.#indexed.has(dimensions)) return;
    await this.#kit.pool.query('select operational.index_vectors($1)', [dimensions]);
    this.#indexed.add(dimensions);
  }

  /** Vectors of other models, and of passages and articles that are gone. */
  async #forgetOld(organizationId: string, { space }: EmbeddingModel) {
    await inTenant(this.#kit.pool, organizationId, (client) =>
      client.query(
        `delete from operational.passage_vectors v
         where v.organization_id = $1 and (v.space <> $2 or not exists (
           select from read_model.articles a
           join read_model.passages p on p.article_id = a.article_id and p.version = a.version
           where a.article_id = v.article_id and a.deleted_at is null
             and p.hash = v.passage_hash))`,
        [organizationId, space],
      ),
    );
  }

  async #forgetAll(organizationId: string) {
    await inTenant(this.#kit.pool, organizationId, (client) =>
      client.query('delete from operational.passage_vectors where organization_id = $1', [
        organizationId,
      ]),
    );
  }
}

/**
 * The organizations that may have something to embed, each with the position of its newest change,
 * and those whose model is tried at once. `hasDefault`: new organizations have a model.
 */
export function changesToEmbed(events: readonly StoredEvent[], hasDefault: boolean) {
  const positions = new Map<string, string>();
  const retried = new Set<string>();
  for (const { type, envelope, position } of events) {
    const hasNewModel = type === 'OrganizationRegistered' && hasDefault;
    const isOfModel = hasNewModel || OF_MODELS.includes(type);
    if (!envelope.organizationId || !(isOfModel || OF_ARTICLES.includes(type))) continue;
    positions.set(envelope.organizationId, formatPosition(position));
    if (isOfModel) retried.add(envelope.organizationId);
  }
  return { positions, retried };
}

/** Changes with the passage's hash, and only then. */
const textOf = ({ title, heading, text }: Missing) =>
  [title, heading, text].filter(Boolean).join('\n');

const orAfter = (ms: number, woken: Promise<void>) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    void woken.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
