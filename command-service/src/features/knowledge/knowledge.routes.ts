import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { ImportRefused } from '@tallyhand/agent-runtime/import/import-refused';
import {
  articleCalls,
  convertDocument,
  IMPORT_BYTES_MAX,
  importArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { ImportNotPossible } from '@tallyhand/contracts/features/knowledge/knowledge.refusals';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal } from '../../kit/caller.ts';
import { idFor } from '../../kit/context.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { type MemberCall, route } from '../../kit/route.ts';
import { storeText, textOf } from '../../kit/stored-content.ts';
import { acceptFiles, fileIn, refusedFile } from '../../kit/uploaded-file.ts';
import { type VersionedObjects, versionedRoutes } from '../../kit/versioned-objects.ts';
import type { ArticleFields } from './article.decider.ts';

/** Each import occupies a thread. */
const LIMIT = { max: 20, timeWindow: '1 minute' };
const CATEGORY = 'Imported';

/** Registers multipart, which only these routes accept. */
export async function importRoutes(
  app: FastifyInstance,
  kit: Kit,
  articles: Pick<VersionedObjects<ArticleFields>, 'create'>,
) {
  await acceptFiles(app, IMPORT_BYTES_MAX);
  const policy = outboundPolicyOf(kit.settings);

  type Owner = { readonly organizationId: string; readonly signal: AbortSignal };

  async function received(request: FastifyRequest, url: string | undefined, owner: Owner) {
    if (url !== undefined) {
      const fetch = (address: string, init: Parameters<typeof guardedFetch>[1]) =>
        guardedFetch(address, init, policy);
      return kit.importer.tryImportPage({ url, fetch, ...owner });
    }
    if (!request.isMultipart()) return MISSING;
    // Without room in the queue, the file is not received.
    const full = kit.queues.imports.refusalFor(owner.organizationId);
    if (full) return full;
    using held = kit.uploads.hold(owner.organizationId);
    const file = await fileIn(request, held);
    if (isRefusal(file)) return file;
    if (!file) return MISSING;
    return await kit.importer.tryImportFile({ ...file, ...owner });
  }

  /** A file or a page as title and text of an article. */
  async function convert({
    caller: { organizationId },
    body: { url },
    request,
    reply,
  }: MemberCall<unknown, { readonly url?: string | undefined }>) {
    try {
      const signal = closeSignal(reply);
      const read = await received(request, url, { organizationId, signal });
      if (isRefusal(read)) return read;
      const { title, markdown, warnings: remarks } = read;
      const warnings = remarks.map(({ text }) => text);
      return { title: title.padEnd(3, '.'), content: markdown.padEnd(10), warnings, remarks };
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      const { code: reason, sentence } = error;
      const path = url === undefined ? 'file' : 'url';
      return ImportNotPossible({ reason, sentence }, [{ path, message: sentence }]);
    }
  }

  route(app, kit, convertDocument, { what: 'document', limit: LIMIT }, convert);
  route(app, kit, importArticle, { what: 'article', limit: LIMIT }, async (call) => {
    const converted = await convert(call);
    if (isRefusal(converted)) return converted;
    const { caller, context } = call;
    const { organizationId } = caller;
    const { title, content, warnings, remarks } = converted;
    const fields = {
      title,
      content: await storeText(kit, organizationId, content),
      category: CATEGORY,
      tags: [],
      isPublic: false,
    };
    const id = idFor(context, 'article');
    const made = await articles.create(id, fields, { organizationId, context });
    if (isRefusal(made)) return made;
    const { version, createdAt, updatedAt } = made;
    return { id, ...made.fields, content, version, createdAt, updatedAt, warnings, remarks };
  });
}

const MISSING = refusedFile(
  'Send a file, or the address of a page.',
  'Send a file, or the address of a page as url',
);

export function knowledgeRoutes(
  app: FastifyInstance,
  kit: Kit,
  articles: VersionedObjects<ArticleFields>,
) {
  versionedRoutes(app, kit, articleCalls, {
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
    async view({ id, organizationId, version, createdAt, updatedAt, fields }) {
      const content = await textOf(kit, organizationId, fields.content);
      return { id, ...fields, content, version, createdAt, updatedAt };
    },
  });
}
