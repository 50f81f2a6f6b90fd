import { createHash } from 'node:crypto';
import { KNOWLEDGE_KEEPERS } from '@tallyhand/contracts/features/identity/role';
import {
  type Article,
  createArticle,
  deleteArticle,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { streamsOf } from '../../kit/streams.ts';
import { articleDecider, type ExistingArticle } from './article.decider.ts';

/** Longer texts go to the blob store: an append stays far below the store's limit of 1 MB. */
const INLINE_BYTES_MAX = 100_000;

export function knowledgeRoutes(app: FastifyInstance, { kit }: { readonly kit: Kit }) {
  const articles = streamsOf(articleDecider, kit.streams);
  const keepers = { allow: KNOWLEDGE_KEEPERS, what: 'article' };

  route(app, kit, createArticle, keepers, async ({ caller, context, body }) => {
    const articleId = idFor(context, 'article');
    const { organizationId } = caller;
    const content = await storeText(kit, organizationId, body.content);
    const data = { articleId, organizationId, ...body, content };
    const answer = await articles.send(articleId, { type: 'CreateArticle', data }, context);
    if (isRefusal(answer)) return answer;
    return answer.state ? viewOf(answer.state, body.content) : NotFound({ what: 'article' });
  });

  route(app, kit, deleteArticle, keepers, async ({ caller, context, params }) => {
    const data = { organizationId: caller.organizationId };
    const answer = await articles.send(params.id, { type: 'DeleteArticle', data }, context);
    return isRefusal(answer) ? answer : undefined;
  });

  route(app, kit, restoreArticle, keepers, async ({ caller, context, params }) => {
    const { organizationId } = caller;
    const data = { organizationId };
    const answer = await articles.send(params.id, { type: 'RestoreArticle', data }, context);
    if (isRefusal(answer)) return answer;
    if (!answer.state) return NotFound({ what: 'article' });
    return viewOf(answer.state, await textOf(kit, organizationId, answer.state.content));
  });
}

const viewOf = (article: ExistingArticle, content: string): Article => ({
  id: article.articleId,
  title: article.title,
  content,
  category: article.category,
  tags: article.tags,
  isPublic: article.isPublic,
  version: article.version,
  createdAt: article.createdAt,
});

async function storeText(kit: Kit, organizationId: string, text: string): Promise<StoredText> {
  const bytes = Buffer.from(text);
  if (bytes.length <= INLINE_BYTES_MAX) return { kind: 'inline', text };
  const hash = createHash('sha256').update(bytes).digest('hex');
  await kit.pool.query(
    `insert into operational.blobs (organization_id, hash, content) values ($1, $2, $3)
     on conflict do nothing`,
    [organizationId, hash, bytes],
  );
  return { kind: 'blob', hash, bytes: bytes.length };
}

async function textOf(kit: Kit, organizationId: string, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  const { rows } = await kit.pool.query<{ content: Buffer }>(
    'select content from operational.blobs where organization_id = $1 and hash = $2',
    [organizationId, text.hash],
  );
  if (!rows[0]) throw new Error(`Blob ${text.hash} is missing`);
  return rows[0].content.toString('utf8');
}
