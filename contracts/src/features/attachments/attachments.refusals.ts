import { refusal } from '../../kernel/refusal.ts';
import type { AttachmentReason } from './attachments.fields.ts';

export const AttachmentRefused = refusal(
  'attachment-refused',
  422,
  'Not attached',
  (p: { reason: AttachmentReason; sentence: string }) => p.sentence,
);
/** Of the organization. */
export const AttachmentsFull = refusal(
  'attachments-full',
  409,
  'No room for attachments',
  (p: { megabytesMax: number }) =>
    `Attachments of an organization can take up ${p.megabytesMax} MB. Delete conversations with attachments to make room.`,
);
/** Of the caller. */
export const TooManyUnsent = refusal(
  'too-many-unsent',
  409,
  'Too many unsent files',
  (p: { unsentMax: number }) =>
    `You have ${p.unsentMax} files that were not sent. Send or remove some first. Unsent files are deleted after a day.`,
);
/** `model`: of the agent. */
export const ModelTakesNoImages = refusal(
  'model-takes-no-images',
  422,
  'Images not supported',
  (p: { model: string }) =>
    `The agent’s model (${p.model}) doesn’t take images. Remove them, or choose a model that does.`,
);
