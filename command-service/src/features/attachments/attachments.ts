import { hash } from 'node:crypto';
import type { AttachedImage, Passage } from '@tallyhand/agent-runtime/engine';
import { ImportRefused } from '@tallyhand/agent-runtime/import/import-refused';
import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENT_NAME_MAX,
  type AttachmentFacts,
} from '@tallyhand/contracts/features/attachments/attachments.fields';
import {
  AttachmentRefused,
  AttachmentsFull,
  TooManyUnsent,
} from '@tallyhand/contracts/features/attachments/attachments.refusals';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Caller, Kit } from '../../kit/app.ts';
import type { UploadedFile } from '../../kit/uploaded-file.ts';
import { AttachmentRejected } from './attachment-rejected.ts';
import { type AttachedDocument, documentPassages } from './document-passages.ts';

const BYTES_PER_ORGANIZATION_MAX = 500_000_000;
const UNSENT_MAX = 100;
/** What a conversation passes to an agent: the newest come first. */
const IMAGES_PASSED_MAX = 20;
const IMAGE_BYTES_PASSED_MAX = 12_000_000;
const TEXT_BYTES_READ_MAX = 2_000_000;

/** A stored file. Its name is personal: in the events of a conversation it is encrypted. */
export type StoredAttachment = AttachmentFacts & { readonly name: string };

/** The owner of unsent files, and what they are sent with. */
type Sending = Pick<Caller, 'userId' | 'organizationId'> & {
  /** The message or task. */
  readonly sentWith: string;
};

/** Files that a request comes with, as an engine takes them. */
export type OpenedAttachments = {
  readonly images: readonly AttachedImage[];
  /** The passages of the documents for a question. */
  readonly passagesFor: (question: string) => Passage[];
};

type Row = {
  readonly attachment_id: string;
  readonly name: string;
  readonly kind: Attachment['kind'];
  readonly bytes: number;
  readonly sha256: string;
};

const FACTS = 'attachment_id, name, kind, bytes, sha256';
/** Of the ids in $3: those that the owner may send now, or has sent with this. */
const SENDABLE = `organization_id = $1 and owner_id = $2 and attachment_id = any($3)
  and (sent_with is null or sent_with = $4)`;

/** Stores images and the texts of documents for messages and tasks. */
export class Attachments {
  readonly #kit: Kit;

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  /** Reads and stores a file when it is its organization's turn. */
  async add(
    { userId, organizationId }: Caller,
    id: string,
    file: UploadedFile,
    signal: AbortSignal,
  ): Promise<Attachment | Refusal> {
    const name = nameOf(file.name);
    const read = await this.#read(organizationId, file, signal);
    if (isRefusal(read)) return read;
    const { kind, content } = read;
    const sha256 = hash('sha256', content, 'hex');
    const refused = await this.#inTenant(organizationId, async (client) => {
      const full = await this.#refusalOfMore(client, { userId, organizationId }, content.length);
      if (full) return full;
      await client.query(
        `insert into operational.attachments
           (attachment_id, organization_id, owner_id, name, kind, content, bytes, sha256)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [id, organizationId, userId, name, kind, content, content.length, sha256],
      );
      return null;
    });
    return refused ?? { id, name, kind, bytes: content.length };
  }

  async #read(organizationId: string, { name, type, bytes }: UploadedFile, signal: AbortSignal) {
    try {
      if (bytes.length > ATTACHMENT_BYTES_MAX) throw tooLarge(bytes.length);
      if (isImage(bytes)) {
        // Its library takes memory, so it is loaded with the first image.
        const work = async () => (await import('./read-image.ts')).readImage(bytes);
        const content = await this.#kit.queues.imports.tryRun(organizationId, work, { signal });
        if (isRefusal(content)) return content;
        return { kind: 'image', content } as const;
      }
      if (isCalledImage(name, type)) {
        throw new AttachmentRejected('unknown-kind', 'The file is not a PNG, JPEG or WebP image.');
      }
      const file = { name, type, bytes, organizationId, signal };
      const read = await this.#kit.importer.tryImportFile(file);
      if (isRefusal(read)) return read;
      return { kind: 'document', content: Buffer.from(read.markdown) } as const;
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Counts what is stored, one upload of an organization after the other. */
  async #refusalOfMore(
    client: pg.PoolClient,
    { userId, organizationId }: Pick<Caller, 'userId' | 'organizationId'>,
    bytes: number,
  ): Promise<Refusal | null> {
    await client.query(
      `select pg_advisory_xact_lock(hashtextextended('attachments ' || $1::uuid, 0))`,
      [organizationId],
    );
    const { rows } = await client.query<{ bytes: string; unsent: number }>(
      `select (select coalesce(sum(bytes), 0) from operational.attachments
               where organization_id = $1) as bytes,
              (select count(*)::int from operational.attachments
               where owner_id = $2 and sent_with is null) as unsent`,
      [organizationId, userId],
    );
    if ((rows[0]?.unsent ?? 0) >= UNSENT_MAX) return TooManyUnsent({ unsentMax: UNSENT_MAX });
    const isFull = Number(rows[0]?.bytes ?? 0) + bytes > BYTES_PER_ORGANIZATION_MAX;
    return isFull
      ? AttachmentsFull({ megabytesMax: BYTES_PER_ORGANIZATION_MAX / 1_000_000 })
      : null;
  }

  /** Deletes an unsent file; false if the caller has none with this id. */
  remove({ userId, organizationId }: Caller, id: string): Promise<boolean> {
    return this.#inTenant(organizationId, async (client) => {
      const { rowCount } = await client.query(
        `delete from operational.attachments
         where attachment_id = $1 and owner_id = $2 and sent_with is null`,
        [id, userId],
      );
      return rowCount === 1;
    });
  }

  /** The files that the caller wants to send, in the order of their ids. */
  async find(sending: Sending, ids: readonly string[]): Promise<StoredAttachment[] | Refusal> {
    if (ids.length === 0) return [];
    const { userId, organizationId, sentWith } = sending;
    const rows = await this.#inTenant(organizationId, async (client) => {
      const values = [organizationId, userId, ids, sentWith];
      const sql = `select ${FACTS} from operational.attachments where ${SENDABLE}`;
      return (await client.query<Row>(sql, values)).rows;
    });
    return inOrder(rows, ids);
  }

  /** Marks files as sent: each can be sent once. */
  async send(
    sending: Sending & { readonly conversationId: string | null },
    ids: readonly string[],
  ): Promise<StoredAttachment[] | Refusal> {
    if (ids.length === 0) return [];
    const { userId, organizationId, sentWith, conversationId } = sending;
    const rows = await this.#inTenant(organizationId, async (client) => {
      const { rows: sent } = await client.query<Row>(
        `update operational.attachments set sent_with = $4, conversation_id = $5
         where ${SENDABLE} returning ${FACTS}`,
        [organizationId, userId, ids, sentWith, conversationId],
      );
      return sent;
    });
    const sent = inOrder(rows, ids);
    if (isRefusal(sent)) await this.unsend(sending);
    return sent;
  }

  /** The message or task was refused: its files can be sent with another one. */
  async unsend({ organizationId, sentWith }: Omit<Sending, 'userId'>): Promise<void> {
    await this.#inTenant(organizationId, (client) =>
      client.query(
        `update operational.attachments set sent_with = null, conversation_id = null
         where sent_with = $1`,
        [sentWith],
      ),
    );
  }

  /**
   * Sent files as an engine takes them: `own` of the request, then `earlier` ones of its conversation,
   * the newest first, as far as they fit. Files that were deleted meanwhile are left out.
   */
  async open(
    organizationId: string,
    own: readonly StoredAttachment[],
    earlier: readonly StoredAttachment[] = [],
  ): Promise<OpenedAttachments> {
    const wanted = withinLimits([...own, ...earlier]);
    if (wanted.length === 0) return { images: [], passagesFor: () => [] };
    const contents = await this.#contentsOf(organizationId, wanted);
    const images: AttachedImage[] = [];
    const documents: AttachedDocument[] = [];
    for (const { attachmentId: id, kind, name } of wanted) {
      const content = contents.get(id);
      if (!content) continue;
      if (kind === 'image') images.push({ name, base64: content.toString('base64') });
      else documents.push({ id, name, text: content.toString() });
    }
    return { images, passagesFor: (question) => documentPassages(documents, question) };
  }

  async #contentsOf(organizationId: string, wanted: readonly StoredAttachment[]) {
    const rows = await this.#inTenant(organizationId, async (client) => {
      const { rows: found } = await client.query<{ id: string; content: Buffer }>(
        `select attachment_id as id, content from operational.attachments
         where organization_id = $1 and attachment_id = any($2) and sent_with is not null`,
        [organizationId, wanted.map(({ attachmentId }) => attachmentId)],
      );
      return found;
    });
    return new Map(rows.map(({ id, content }) => [id, content]));
  }

  /** Deletes the files of a conversation. Can be repeated. */
  async forgetConversation(organizationId: string, conversationId: string): Promise<void> {
    await this.#inTenant(organizationId, (client) =>
      client.query('delete from operational.attachments where conversation_id = $1', [
        conversationId,
      ]),
    );
  }

  /**
   * Deletes the files that a person or an API key has not sent, or sent in conversations, which no
   * other caller may read. Those of tasks are the organization's, as the tasks are.
   */
  async forgetOwner(organizationId: string, ownerId: string): Promise<void> {
    await this.#inTenant(organizationId, (client) =>
      client.query(
        `delete from operational.attachments
         where owner_id = $1 and (sent_with is null or conversation_id is not null)`,
        [ownerId],
      ),
    );
  }

  async forgetOrganization(organizationId: string): Promise<void> {
    await this.#inTenant(organizationId, (client) =>
      client.query('delete from operational.attachments where organization_id = $1', [
        organizationId,
      ]),
    );
  }

  #inTenant<T>(organizationId: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return inTenant(this.#kit.pool, organizationId, work);
  }
}

/** The last part of a path, without control characters. */
function nameOf(path: string): string {
  const last = path
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
  return last.slice(0, ATTACHMENT_NAME_MAX).toWellFormed() || 'file';
}

/** A file with another content than its name or type says is refused, not read as something else. */
/** Whether the content, not the name, is a PNG, a JPEG or a WebP. */
export function isImage(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 12);
  return (
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('\xff\xd8\xff') ||
    (head.startsWith('RIFF') && head.endsWith('WEBP'))
  );
}

const isCalledImage = (name: string, type: string) =>
  /\.(?:png|jpe?g|webp|gif|svgz?|avif|heic|heif|bmp|tiff?|ico)$/i.test(name.trim()) ||
  type.startsWith('image/');

function inOrder(rows: readonly Row[], ids: readonly string[]): StoredAttachment[] | Refusal {
  const found = new Map(rows.map((row) => [row.attachment_id, row]));
  const errors = ids.flatMap((id, at) =>
    found.has(id) ? [] : [{ path: `attachments.${at}`, message: NOT_SENDABLE }],
  );
  if (errors.length > 0) return ValidationFailed({ summary: `${NOT_SENDABLE}.` }, errors);
  return ids.flatMap((id) => {
    const row = found.get(id);
    if (!row) return [];
    const { attachment_id: attachmentId, name, kind, bytes, sha256 } = row;
    return [{ attachmentId, name, kind, bytes, sha256 }];
  });
}

const NOT_SENDABLE = 'This file is not there, or was sent already. Upload it again';

function withinLimits(all: readonly StoredAttachment[]): StoredAttachment[] {
  let [images, imageBytes, textBytes] = [0, 0, 0];
  return all.filter(({ kind, bytes }) => {
    if (kind === 'document') {
      textBytes += bytes;
      return textBytes <= TEXT_BYTES_READ_MAX;
    }
    images += 1;
    imageBytes += bytes;
    return images <= IMAGES_PASSED_MAX && imageBytes <= IMAGE_BYTES_PASSED_MAX;
  });
}

function tooLarge(bytes: number): AttachmentRejected {
  const has = Math.ceil(bytes / 100_000) / 10;
  const sentence = `The file has ${has} MB; at most ${ATTACHMENT_BYTES_MAX / 1_000_000} MB are accepted.`;
  return new AttachmentRejected('too-large', sentence);
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof ImportRefused && error.code !== 'fetch-failed') {
    return refused(error.code, error.sentence);
  }
  if (error instanceof AttachmentRejected) return refused(error.reason, error.sentence);
  throw error;
}

const refused = (reason: AttachmentRejected['reason'], sentence: string) =>
  AttachmentRefused({ reason, sentence }, [{ path: 'file', message: sentence }]);
