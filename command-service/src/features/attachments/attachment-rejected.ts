import type { AttachmentReason } from '@tallyhand/contracts/features/attachments/attachments.fields';

/** A file that can't be attached. `sentence` gives the reason, for members. */
export class AttachmentRejected extends Error {
  readonly reason: AttachmentReason;
  readonly sentence: string;

  constructor(reason: AttachmentReason, sentence: string) {
    super(sentence);
    this.name = 'AttachmentRejected';
    this.reason = reason;
    this.sentence = sentence;
  }
}
