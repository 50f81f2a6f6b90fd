import { createHash, hash } from 'node:crypto';
import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from './app.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The bytes of a base64 picture, or null if it is not a PNG. */
export function readPng(base64: string): Buffer | null {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.subarray(0, PNG.length).equals(PNG) ? bytes : null;
}

/** Stores a PNG for an organization and returns its hash. Can be repeated. */
export async function keepImage(
  pool: pg.Pool,
  organizationId: string,
  content: Buffer,
): Promise<string> {
  const name = hash('sha256', content, 'hex');
  await inTenant(pool, organizationId, (client) =>
    client.query(
      `insert into operational.images (organization_id, hash, content) values ($1, $2, $3)
       on conflict do nothing`,
      [organizationId, name, content],
    ),
  );
  return name;
}

export async function findImage(
  pool: pg.Pool,
  organizationId: string,
  name: string,
): Promise<Buffer | null> {
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<{ content: Buffer }>(
      'select content from operational.images where organization_id = $1 and hash = $2',
      [organizationId, name],
    );
    return rows[0]?.content ?? null;
  });
}

/** Longer texts go to the blob store: an append stays far below the store's limit of 1 MB. */
const INLINE_BYTES_MAX = 100_000;

/** A text as an event may contain it. */
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
