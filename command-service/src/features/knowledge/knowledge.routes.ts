import {
  type Article,
  changeArticle,
  createArticle,
  deleteArticle,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import type { Kept } from '../../kit/kept-decider.ts';
import { keptObjects } from '../../kit/kept-objects.ts';
import { route } from '../../kit/route.ts';
import { storeText, textOf } from '../../kit/stored-text.ts';
import { type ArticleFields, articleDecider } from './article.decider.ts';

export function knowledgeRoutes(app: FastifyInstance, { kit }: { readonly kit: Kit }) {
  const articles = keptObjects(kit, articleDecider);
  const options = { what: 'article' };
  const view = async (answer: Kept<ArticleFields> | Refusal): Promise<Article | Refusal> => {
    if (isRefusal(answer)) return answer;
    const { id, organizationId, version, createdAt, fields } = answer;
    const content = await textOf(kit, organizationId, fields.content);
    return { id, ...fields, content, version, createdAt };
  };

  route(app, kit, createArticle, options, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    const content = await storeText(kit, organizationId, body.content);
    const fields = { ...body, content };
    return view(
      await articles.create(idFor(context, 'article'), fields, { organizationId, context }),
    );
  });

  route(app, kit, changeArticle, options, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    const { content, ...rest } = body;
    const change =
      content === undefined
        ? rest
        : { ...rest, content: await storeText(kit, organizationId, content) };
    return view(await articles.change(params.id, change, { organizationId, context }));
  });

  route(app, kit, deleteArticle, options, ({ caller: { organizationId }, context, params }) =>
    articles.remove(params.id, { organizationId, context }),
  );

  route(app, kit, restoreArticle, options, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    return view(await articles.restore(params.id, body.version, { organizationId, context }));
  });
}
