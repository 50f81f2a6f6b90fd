import {
  type Attachment,
  uploadAttachment,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import type { ApiClient } from '@tallyhand/test-kit/api-client';

/** Uploads the example, a document, and returns its id. */
export async function newAttachment(client: ApiClient): Promise<string> {
  const { body } = await client.call<Attachment>(uploadAttachment, {
    body: uploadAttachment.example,
  });
  return body.id;
}
