import {
  getAttachmentImage,
  getAttachmentText,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readAttachmentImage,
  readAttachmentText,
} from '@tallyhand/read-models/features/attachments/attachments';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';
import { SANDBOX } from '../../kernel/sandbox.ts';

/** It never changes, but it may be deleted, and only few may see it. */
const CACHE = 'private, max-age=3600';

export function attachmentsRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, getAttachmentImage, { what: 'attachment' }, async (call) => {
    const found = await call.read(readAttachmentImage, call.params);
    if (isRefusal(found) || found.body === null) return found;
    const { content } = JSON.parse(found.body) as { readonly content: string };
    call.reply.header('cache-control', CACHE).header('content-security-policy', SANDBOX);
    return { kind: 'file', body: Buffer.from(content, 'base64') };
  });
  oneRoute(app, context, getAttachmentText, readAttachmentText, { what: 'attachment' });
}
