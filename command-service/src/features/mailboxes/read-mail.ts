import { hash } from 'node:crypto';
import { decodeText } from '@tallyhand/agent-runtime/import/decode-text';
import type { Importer } from '@tallyhand/agent-runtime/import/importer';
import { visibleText } from '@tallyhand/agent-runtime/import/visible-text';
import { type AddressObject, type Attachment, type ParsedMail, simpleParser } from 'mailparser';

const TEXT_MAX = 1_000_000;
const SUBJECT_MAX = 300;
const ADDRESS_MAX = 254;
const NAME_MAX = 100;
const REFERENCES_MAX = 50;
const MESSAGE_ID_MAX = 500;
const ATTACHMENTS_MAX = 50;
const ATTACHMENT_BYTES_MAX = 200_000;

/** The parts of a mail that an agent and a reply need. */
export type IncomingMail = {
  /** With angle brackets; null if there is none. */
  readonly messageId: string | null;
  /** Identifies the mail: its Message-ID, or a hash of its bytes. */
  readonly identity: string;
  readonly references: readonly string[];
  readonly from: Person | null;
  /** The Reply-To address, if any. */
  readonly replyTo: Person | null;
  readonly subject: string;
  /** By its Date header; null without a valid one. */
  readonly sentAt: Date | null;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
  /** The first header of a lower-case name, or an empty string. */
  readonly header: (name: string) => string;
};

type Person = { readonly name: string; readonly address: string };

type MailAttachment = {
  readonly name: string;
  /** Null if it is no text, or too long. */
  readonly text: string | null;
};

/** Reads a mail; unreadable parts are left out. `isHead`: there are only headers. */
export async function readMail(
  raw: Buffer,
  organizationId: string,
  importer: Pick<Importer, 'importFile'>,
  { isHead = false }: { readonly isHead?: boolean } = {},
): Promise<IncomingMail> {
  const parsed = await simpleParser(raw, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
  });
  const messageId = messageIdIn(parsed.messageId ?? '');
  const { headerLines } = parsed;
  const header = (name: string) => {
    const line = headerLines.find(({ key }) => key === name)?.line ?? '';
    return oneLine(line.slice(line.indexOf(':') + 1));
  };
  return {
    messageId,
    identity: messageId ?? hash('sha256', raw, 'hex'),
    references: referencesOf(parsed),
    from: personOf(parsed.from),
    replyTo: personOf(parsed.replyTo),
    subject: oneLine(parsed.subject ?? '').slice(0, SUBJECT_MAX),
    sentAt: dateIn(header('date')),
    text: isHead ? '' : await textOf(parsed, organizationId, importer),
    attachments: isHead ? [] : parsed.attachments.slice(0, ATTACHMENTS_MAX).map(attachmentOf),
    header,
  };
}

async function textOf(
  { text = '', html }: ParsedMail,
  organizationId: string,
  importer: Pick<Importer, 'importFile'>,
) {
  if (text.trim() !== '' || !html) return visibleText(text.slice(0, TEXT_MAX)).trim();
  // It is decoded already: the byte order mark overrides the page's own charset.
  const bytes = Buffer.from(`\ufeff${html.slice(0, TEXT_MAX)}`);
  try {
    const { markdown } = await importer.importFile({
      organizationId,
      name: 'mail.html',
      type: 'text/html',
      bytes,
    });
    return markdown.slice(0, TEXT_MAX);
  } catch {
    return visibleText(html.slice(0, TEXT_MAX).replace(/<[^>]{0,1000}>/g, ' ')).trim();
  }
}

function attachmentOf(attachment: Attachment): MailAttachment {
  const { filename, contentType, content } = attachment;
  const name = oneLine(filename ?? 'unnamed').slice(0, SUBJECT_MAX) || 'unnamed';
  const isText = /^(text\/|application\/(json|csv)\b)/.test(contentType) || TEXT_NAME.test(name);
  if (!isText || content.byteLength > ATTACHMENT_BYTES_MAX) return { name, text: null };
  const type = attachment.headers.get('content-type') as { params?: { charset?: string } };
  try {
    const { text } = decodeText(content, type?.params?.charset ?? '');
    return { name, text: visibleText(text).trim() };
  } catch {
    return { name, text: null };
  }
}

const TEXT_NAME = /\.(txt|csv|md|json)$/i;

/** The first person of a field. Groups and invalid addresses are skipped. */
function personOf(field: AddressObject | AddressObject[] | undefined): Person | null {
  const all = [field ?? []].flat().flatMap(({ value }) => value);
  const first = all.find(({ address }) => ADDRESS.test(address ?? ''));
  if (!first?.address || first.address.length > ADDRESS_MAX) return null;
  return { name: oneLine(first.name).slice(0, NAME_MAX), address: first.address };
}

const ADDRESS = /^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/;

function referencesOf({ references, inReplyTo }: ParsedMail): string[] {
  const all = [references ?? [], inReplyTo ?? []].flat();
  const ids = all.map(messageIdIn).filter((id) => id !== null);
  return [...new Set(ids)].slice(-REFERENCES_MAX);
}

function messageIdIn(text: string): string | null {
  const found = /<[^<>\s]+>/.exec(text)?.[0] ?? null;
  return found && found.length <= MESSAGE_ID_MAX ? found : null;
}

function dateIn(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Prevents header injection when the text becomes a header again. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
