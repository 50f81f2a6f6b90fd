import { readOne } from '../../kernel/read.ts';

/** The caller's own files, and all of tasks. The command service stores them. */
const READABLE = `a.organization_id = me.organization_id and a.attachment_id = p_id
  and (a.owner_id = me.user_id or (a.sent_with is not null and a.conversation_id is null))`;

/** A JPEG as base64 without line breaks. */
export const readAttachmentImage = readOne(
  'attachment_image',
  { id: 'uuid' },
  `select translate(encode(a.content, 'base64'), E'\\n', '') as content
   from operational.attachments a where ${READABLE} and a.kind = 'image'`,
);

export const readAttachmentText = readOne(
  'attachment_text',
  { id: 'uuid' },
  `select a.attachment_id as id, a.name, a.kind, a.bytes,
     convert_from(a.content, 'UTF8') as text
   from operational.attachments a where ${READABLE} and a.kind = 'document'`,
);
