import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';

const VERSION = 1;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Explicit, so that a value with a truncated tag is refused. */
const TAG = { authTagLength: TAG_BYTES };
const WRAPPED_BYTES = IV_BYTES + TAG_BYTES + KEY_BYTES;

function encrypt(key: KeyObject, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, TAG).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function decrypt(key: KeyObject, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), TAG)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}

/**
 * Envelope encryption at rest: each value has its own key, wrapped by the master key. The context
 * (what the value is, and whose) is authenticated, so that rows cannot be exchanged.
 */
export type SealedBox = {
  seal(plain: Buffer, context: string): Buffer;
  /** Throws when the value, the context or the master key is another one. */
  open(sealed: Buffer, context: string): Buffer;
  /** A keyed hash (hex) for look-ups of unreadable values, such as email addresses. */
  keyedHash(purpose: string, value: string): string;
};

/** `masterKey`: 32 bytes as base64url. */
export function sealedBox(masterKey: string): SealedBox {
  const bytes = Buffer.from(masterKey, 'base64url');
  if (bytes.length !== KEY_BYTES) throw new Error('The master key must have 32 bytes');
  // As key objects: for a key in bytes, Node throws an error of its own and catches it, at each use.
  const master = createSecretKey(bytes);
  const subkey = (purpose: string) =>
    createSecretKey(
      Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `tallyhand ${purpose}`, KEY_BYTES)),
    );
  const wrapping = subkey('wrap');
  // The code names the purposes, so they are few.
  const hashing = new Map<string, KeyObject>();
  const hashingKey = (purpose: string) => {
    const key = hashing.get(purpose) ?? subkey(`hash ${purpose}`);
    hashing.set(purpose, key);
    return key;
  };
  return {
    seal(plain, context) {
      const key = randomBytes(KEY_BYTES);
      return Buffer.concat([
        Buffer.of(VERSION),
        encrypt(wrapping, key, context),
        encrypt(createSecretKey(key), plain, context),
      ]);
    },
    open(sealed, context) {
      if (sealed[0] !== VERSION) throw new Error('Sealed value of an unknown version');
      const key = decrypt(wrapping, sealed.subarray(1, 1 + WRAPPED_BYTES), context);
      return decrypt(createSecretKey(key), sealed.subarray(1 + WRAPPED_BYTES), context);
    },
    keyedHash: (purpose, value) =>
      createHmac('sha256', hashingKey(purpose)).update(value).digest('hex'),
  };
}

const MailContent = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  replyTo: z.string().optional(),
  attachment: z.object({ name: z.string(), content: z.string() }).optional(),
  /** The trace of its cause, if traced. */
  traceparent: z.string().optional(),
});
/** The mail as its recipient receives it: it may contain access links. */
export type MailContent = z.infer<typeof MailContent>;

const contextOf = (mailId: string) => `outgoing-mail ${mailId}`;

export const sealMail = (box: SealedBox, mailId: string, content: MailContent): Buffer =>
  box.seal(Buffer.from(JSON.stringify(content)), contextOf(mailId));

export const openMail = (box: SealedBox, mailId: string, sealed: Buffer): MailContent =>
  MailContent.parse(JSON.parse(box.open(sealed, contextOf(mailId)).toString()));

/**
 * A password computed from the master key, so that it need not be configured or stored. Another
 * purpose gives another password. 43 letters, digits, - and _.
 */
export const derivedPassword = (masterKey: string, purpose: string): string =>
  createHmac('sha256', masterKey).update(purpose).digest('base64url');
