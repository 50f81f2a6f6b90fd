import multipart from '@fastify/multipart';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { ImportRefused } from '@tallyhand/agent-runtime/import/import-refused';
import { KNOWLEDGE_KEEPERS } from '@tallyhand/contracts/features/identity/role';
import {
  IMPORT_BYTES_MAX,
  importArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { ImportNotPossible } from '@tallyhand/contracts/features/knowledge/knowledge.refusals';
import { MalformedRequest, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { keptObjects } from '../../kit/kept-objects.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { route } from '../../kit/route.ts';
import { storeText } from '../../kit/stored-text.ts';
import { articleDecider } from './article.decider.ts';

/** Each takes a thread for some time. */
const LIMIT = { max: 20, timeWindow: '1 minute' };
const CATEGORY = 'Imported';

/** Files come as multipart, which no other route takes. */
export async function importRoutes(app: FastifyInstance, { kit }: { readonly kit: Kit }) {
  await app.register(multipart, {
    limits: { files: 1, fileSize: IMPORT_BYTES_MAX + 1 },
    throwFileSizeLimit: false,
  });
  const articles = keptObjects(kit, articleDecider);
  const policy = outboundPolicyOf(kit.settings);

  async function read(
    request: FastifyRequest,
    url: string | undefined,
    owner: { readonly organizationId: string; readonly signal: AbortSignal },
  ) {
    if (url !== undefined) {
      const fetch = (address: string, init: Parameters<typeof guardedFetch>[1]) =>
        guardedFetch(address, init, policy);
      return kit.importer.importPage({ url, fetch, ...owner });
    }
    const file = request.isMultipart() ? await fileIn(request) : MISSING;
    if (isRefusal(file)) return file;
    return kit.importer.importFile({ ...file, ...owner });
  }

  const importing = { allow: KNOWLEDGE_KEEPERS, what: 'article', limit: LIMIT };
  route(app, kit, importArticle, importing, async ({ caller, context, body, request, reply }) => {
    const { organizationId } = caller;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    try {
      const imported = await read(request, body.url, { organizationId, signal: gone.signal });
      if (isRefusal(imported)) return imported;
      const { title, markdown, warnings: remarks } = imported;
      const fields = {
        title: title.padEnd(3, '.'),
        content: await storeText(kit, organizationId, markdown.padEnd(10)),
        category: CATEGORY,
        tags: [],
        isPublic: false,
      };
      const id = idFor(context, 'article');
      const made = await articles.create(id, fields, { organizationId, context });
      if (isRefusal(made)) return made;
      const { version, createdAt } = made;
      const warnings = remarks.map(({ text }) => text);
      return { id, ...made.fields, content: markdown, version, createdAt, warnings, remarks };
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      const { code: reason, sentence } = error;
      const path = body.url === undefined ? 'file' : 'url';
      return ImportNotPossible({ reason, sentence }, [{ path, message: sentence }]);
    }
  });
}

type UploadedFile = { readonly name: string; readonly type: string; readonly bytes: Buffer };

/**
 * The one file of a multipart body, which is read to its end. Nothing but the parser runs here, so
 * all that it throws comes from the bytes that the caller sent.
 */
async function fileIn(request: FastifyRequest): Promise<UploadedFile | Refusal> {
  let file: UploadedFile | undefined;
  const unknown: string[] = [];
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') unknown.push(part.fieldname);
      else file = { name: part.filename, type: part.mimetype, bytes: await part.toBuffer() };
    }
  } catch (error) {
    const { FilesLimitError } = request.server.multipartErrors;
    return error instanceof FilesLimitError ? TOO_MANY : UNREADABLE;
  }
  if (unknown.length === 0) return file ?? MISSING;
  const errors = unknown.map((path) => ({ path, message: 'There is no such field' }));
  return ValidationFailed({ summary: 'Send the file alone, without other fields.' }, errors);
}

const refusedFile = (summary: string, message: string) =>
  ValidationFailed({ summary }, [{ path: 'file', message }]);
const MISSING = refusedFile(
  'Send a file, or the address of a page.',
  'Send a file, or the address of a page as url',
);
const TOO_MANY = refusedFile('Send one file at a time.', 'Send one file at a time');
const UNREADABLE = MalformedRequest({
  reason: 'The body is not valid multipart/form-data. Check its boundary, and that it is complete.',
});
