import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import type { FILE_REASONS } from '../knowledge/knowledge.fields.ts';

/** Of an uploaded file. */
export const ATTACHMENT_BYTES_MAX = 10_000_000;
/** Of a message or a task. */
export const ATTACHMENTS_MAX = 20;
export const ATTACHMENT_NAME_MAX = 200;

export const ATTACHMENT_KINDS = ['image', 'document'] as const;

/** An attachment as events hold it. Its bytes are stored outside events. */
export const AttachmentFacts = z.object({
  attachmentId: Id,
  kind: z.enum(['image', 'document']),
  /** Of what is stored: the image that was encoded again, or the text of the document. */
  bytes: z.int(),
  sha256: z.string(),
});
export type AttachmentFacts = z.infer<typeof AttachmentFacts>;

const WRONG = `attachments must be a list of up to ${ATTACHMENTS_MAX} ids, each given once`;

/** The ids of uploaded files in the body of a call. */
export const AttachmentIds = z
  .array(z.uuid({ error: WRONG }), { error: WRONG })
  .max(ATTACHMENTS_MAX, WRONG)
  .refine((ids) => new Set(ids).size === ids.length, WRONG);

/** Why a file can't be attached. */
export type AttachmentReason = (typeof FILE_REASONS)[number];
