import {
  changeArticle,
  createArticle,
  deleteArticle,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { storeText, textOf } from '../../kit/stored-text.ts';
import { type VersionedObjects, versionedRoutes } from '../../kit/versioned-objects.ts';
import type { ArticleFields } from './article.decider.ts';

const calls = {
  create: createArticle,
  change: changeArticle,
  remove: deleteArticle,
  restore: restoreArticle,
};

export function knowledgeRoutes(
  app: FastifyInstance,
  kit: Kit,
  articles: VersionedObjects<ArticleFields>,
) {
  versionedRoutes(app, kit, calls, {
    objects: articles,
    async create(body, by) {
      const content = await storeText(kit, by.organizationId, body.content);
      return articles.create(idFor(by.context, 'article'), { ...body, content }, by);
    },
    async change(id, { content, ...rest }, by) {
      if (content === undefined) return articles.change(id, rest, by);
      const stored = await storeText(kit, by.organizationId, content);
      return articles.change(id, { ...rest, content: stored }, by);
    },
    async view({ id, organizationId, version, createdAt, fields }) {
      const content = await textOf(kit, organizationId, fields.content);
      return { id, ...fields, content, version, createdAt };
    },
  });
}
