import { TallyhandError } from './errors.ts';
import type { EventData, RecordedEvent, WebhookPayload } from './generated/api.ts';

/** The body of a delivery; `type` tells the data apart. A newer server may send further types. */
export type WebhookEvent =
  | {
      [Type in keyof EventData]: Omit<WebhookPayload, 'type' | 'data'> & {
        type: Type;
        data: Omit<RecordedEvent, 'type' | 'data'> & { type: Type; data: EventData[Type] };
      };
    }[keyof EventData]
  | (Omit<WebhookPayload, 'type' | 'data'> & { type: 'ping'; data: { webhookId: string } });

/** The delivery is forged, altered, too old, or signed with another secret. */
export class WebhookSignatureError extends TallyhandError {
  override readonly name = 'WebhookSignatureError';
}

type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How far the sender's clock may differ. Default: 5 minutes. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
};

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * Checks who sent a delivery, and returns its event. `body` is the body as it was received, before
 * any parsing; `secret` that of the webhook, or several. Throws `WebhookSignatureError`.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: GivenHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) {
    throw new WebhookSignatureError(
      'The headers webhook-id, -timestamp and -signature must be there',
    );
  }
  const offSeconds = Math.abs(now / 1000 - Number(timestamp));
  if (!/^\d{1,15}$/.test(timestamp) || offSeconds > toleranceSeconds) {
    throw new WebhookSignatureError('The timestamp is too old, or too far ahead of this clock');
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  if (!(await isSigned(signed, signatures, [secret].flat()))) {
    throw new WebhookSignatureError('No signature belongs to this body and secret');
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

/** `subtle.verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .filter((text) => text.startsWith('v1,'))
    .map((text) => bytesOf(text.slice('v1,'.length)));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  for (const secret of secrets) {
    const raw = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
    if (!raw?.length) throw new TypeError('secret must be the secret of a webhook: whsec_…');
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
    for (const signature of given) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
    }
  }
  return false;
}

function headerOf(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'object' ? found[0] : found;
}

/** Of base64; null if it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
