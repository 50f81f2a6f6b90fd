import {
  deleteAttachment,
  uploadAttachment,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import { ATTACHMENT_BYTES_MAX } from '@tallyhand/contracts/features/attachments/attachments.fields';
import { NotFound, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal } from '../../kit/caller.ts';
import { idFor } from '../../kit/context.ts';
import type { Held } from '../../kit/held-bytes.ts';
import { route } from '../../kit/route.ts';
import { acceptFiles, fileIn, refusedFile, type UploadedFile } from '../../kit/uploaded-file.ts';
import type { Attachments } from './attachments.ts';

/** Each file occupies a thread while it is read. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

type Sent = { readonly name?: string | undefined; readonly content?: string | undefined };

type Parts = { readonly kit: Kit; readonly attachments: Attachments };

export function attachmentsRoutes(app: FastifyInstance, { kit, attachments }: Parts) {
  // Only the upload accepts forms.
  app.register((scope) => uploadRoute(scope, { kit, attachments }));
  route(app, kit, deleteAttachment, async ({ caller, params }) =>
    (await attachments.remove(caller, params.id)) ? undefined : NotFound({ what: 'attachment' }),
  );
}

async function uploadRoute(app: FastifyInstance, { kit, attachments }: Parts) {
  await acceptFiles(app, ATTACHMENT_BYTES_MAX);
  route(app, kit, uploadAttachment, { limit: LIMIT }, async (call) => {
    const { caller, context, body, request, reply } = call;
    // Without room in the queue, the file is not received.
    const full = kit.queues.imports.refusalFor(caller.organizationId);
    if (full) return full;
    using held = kit.uploads.hold(caller.organizationId);
    const file = await received(request, body, held);
    if (isRefusal(file)) return file;
    return attachments.add(caller, idFor(context, 'attachment'), file, closeSignal(reply));
  });
}

async function received(
  request: FastifyRequest,
  { name, content }: Sent,
  held: Held,
): Promise<UploadedFile | Refusal> {
  if (request.isMultipart()) return (await fileIn(request, held)) ?? MISSING;
  const errors = Object.entries({ name, content }).flatMap(([path, value]) =>
    value ? [] : [{ path, message: `${path} is required, or a form with a file` }],
  );
  if (!name || !content) return ValidationFailed({ summary: 'Send a file.' }, errors);
  const bytes = Buffer.from(content, 'base64');
  return held.add(bytes.length) ?? { name, type: '', bytes };
}

const MISSING = refusedFile('Send a file.', 'Send a file');
