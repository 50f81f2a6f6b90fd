import { createHash } from 'node:crypto';
import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { Kit } from './app.ts';

/** Longer texts go to the blob store: an append stays far below the store's limit of 1 MB. */
const INLINE_BYTES_MAX = 100_000;

/** A text as an event may hold it. */
export async function storeText(
  { pool }: Kit,
  organizationId: string,
  text: string,
): Promise<StoredText> {
  const bytes = Buffer.from(text);
  if (bytes.length <= INLINE_BYTES_MAX) return { kind: 'inline', text };
  const hash = createHash('sha256').update(bytes).digest('hex');
  await pool.query(
    `insert into operational.blobs (organization_id, hash, content) values ($1, $2, $3)
     on conflict do nothing`,
    [organizationId, hash, bytes],
  );
  return { kind: 'blob', hash, bytes: bytes.length };
}

export async function textOf(
  { pool }: Kit,
  organizationId: string,
  text: StoredText,
): Promise<string> {
  if (text.kind === 'inline') return text.text;
  const { rows } = await pool.query<{ content: Buffer }>(
    'select content from operational.blobs where organization_id = $1 and hash = $2',
    [organizationId, text.hash],
  );
  if (!rows[0]) throw new Error(`Blob ${text.hash} is missing`);
  return rows[0].content.toString('utf8');
}
