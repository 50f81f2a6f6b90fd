import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';
import { OrganizationQueueFull, ServerQueueFull } from '../../kernel/problem.ts';
import { ATTACHMENT_KINDS, ATTACHMENT_NAME_MAX } from './attachments.fields.ts';
import { AttachmentRefused, AttachmentsFull, TooManyUnsent } from './attachments.refusals.ts';

/** An image or a document of a message or a task. */
export const Attachment = z.object({
  id: Id,
  name: z.string(),
  kind: z.enum(ATTACHMENT_KINDS),
  /** As stored: images are scaled down, and of a document its text is kept. */
  bytes: z.int(),
});
export type Attachment = z.infer<typeof Attachment>;

export const AttachmentText = Attachment.extend({
  /** Markdown. Untrusted. */
  text: z.string(),
});
export type AttachmentText = z.infer<typeof AttachmentText>;

/** JSON bodies have up to 4 MB. */
const BASE64_MAX = 3_900_000;
const NAME_LENGTH = `name must have 1 to ${ATTACHMENT_NAME_MAX} characters`;
const NOT_BASE64 = 'content must be base64';

const common = { access: MEMBERS, feature: 'attachments', status: 200 } as const;
const params = z.strictObject({ id: Id });

const returns = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  name: 'returns.md',
  kind: 'document' as const,
  bytes: 50,
};

export const uploadAttachment = endpoint({
  ...common,
  name: 'uploadAttachment',
  method: 'POST',
  path: '/api/attachments',
  summary: 'Upload an attachment',
  description:
    'Stores an image (PNG, JPEG or WebP) or the text of a document (Markdown, plain text, HTML, PDF or DOCX) for a chat message or a task, which then names it in `attachments`. The content decides what a file is. Images are scaled down to 2,048 pixels and lose their metadata. A file that is not sent is deleted after a day. Send up to 10 MB as `multipart/form-data` in the field `file`, or smaller files in JSON.',
  body: z.strictObject({
    name: z
      .string({ error: NAME_LENGTH })
      .trim()
      .min(1, NAME_LENGTH)
      .max(ATTACHMENT_NAME_MAX, NAME_LENGTH)
      .optional(),
    content: z
      .string({ error: NOT_BASE64 })
      .max(
        BASE64_MAX,
        `content must be at most ${BASE64_MAX} characters; send larger files as a form`,
      )
      .refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), NOT_BASE64)
      .meta({ description: 'The bytes of the file as base64.' })
      .optional(),
  }),
  // "# Returns\n\nItems can be returned within 30 days.\n"
  example: {
    name: 'returns.md',
    content: 'IyBSZXR1cm5zCgpJdGVtcyBjYW4gYmUgcmV0dXJuZWQgd2l0aGluIDMwIGRheXMuCg==',
  },
  fileField: 'file',
  isKeyless: true,
  status: 201,
  answer: Attachment,
  answerExample: returns,
  refusals: [
    AttachmentRefused,
    AttachmentsFull,
    TooManyUnsent,
    OrganizationQueueFull,
    ServerQueueFull,
  ],
});
export const getAttachmentImage = endpoint({
  ...common,
  name: 'getAttachmentImage',
  method: 'GET',
  path: '/api/attachments/{id}/image',
  summary: 'Retrieve an attached image',
  description:
    'Returns an image as it was stored. Images of a conversation are visible to its member, images of a task to all members.',
  params,
  media: 'image/jpeg',
});
export const getAttachmentText = endpoint({
  ...common,
  name: 'getAttachmentText',
  method: 'GET',
  path: '/api/attachments/{id}/text',
  summary: 'Retrieve the text of an attached document',
  description:
    'Returns the text that agents get. Documents of a conversation are visible to its member, documents of a task to all members.',
  params,
  answer: AttachmentText,
  answerExample: { ...returns, text: '# Returns\n\nItems can be returned within 30 days.' },
});
export const deleteAttachment = endpoint({
  ...common,
  name: 'deleteAttachment',
  method: 'DELETE',
  path: '/api/attachments/{id}',
  summary: 'Delete an unsent attachment',
  description: 'Deletes a file that the caller has uploaded and not sent.',
  params,
  status: 204,
});
