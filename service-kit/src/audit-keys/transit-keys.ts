import { z } from 'zod';
import { readPublicKey } from '../audit-bundle/public-key.ts';
import { isSignedBy } from '../audit-bundle/signed-text.ts';
import { type AuditSigner, SignerUnavailable } from '../audit-bundle/signer.ts';
import type { AuditKeySource } from './signing.ts';

const ANSWER_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const SIGNATURE = /^vault:v\d+:([A-Za-z0-9+/]{86}==)$/;

export type TransitSettings = {
  readonly kind: 'transit';
  /** Of its API, without a path. */
  readonly address: string;
  readonly token: string;
  /** The path of the engine, as `transit`. */
  readonly mount: string;
  readonly name: string;
};

const Key = z.object({
  data: z.object({
    type: z.string(),
    latest_version: z.int(),
    keys: z.record(z.string().regex(/^\d+$/), z.object({ public_key: z.string() })),
  }),
});
const Signed = z.object({ data: z.object({ signature: z.string() }) });
const Problem = z.object({ errors: z.array(z.string()) });

/** The source also makes versions of the key. */
export type TransitKeys = AuditKeySource & {
  /** Makes the next version of the key. Throws SignerUnavailable. */
  rotate(): Promise<void>;
};

/**
 * An Ed25519 key in the transit engine of Vault or OpenBao. Each of its versions is a key of the
 * history, so that a version is used once it is in the history.
 * https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export function transitKeys({ address, token, mount, name }: TransitSettings): TransitKeys {
  const key = encodeURIComponent(name);
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    const url = `${address}/v1/${mount}/${path}`;
    try {
      const answer = await fetch(url, {
        method,
        headers: { 'x-vault-token': token, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The token is for this address alone.
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const text = await boundedText(answer);
      if (answer.ok) return text === '' ? null : JSON.parse(text);
      throw unavailable(`it answered ${answer.status}${reasonIn(text)}`);
    } catch (error) {
      throw error instanceof SignerUnavailable ? error : unavailable(reasonOf(error));
    }
  };
  const unavailable = (reason: string) =>
    new SignerUnavailable(`The signer at ${address} can't be used: ${reason}.`);

  async function sign(version: string, text: string): Promise<string> {
    const input = Buffer.from(text).toString('base64');
    const answer = await call('POST', `sign/${key}`, { input, key_version: Number(version) });
    const { data } = Signed.safeParse(answer);
    const [, signature] = SIGNATURE.exec(data?.data.signature ?? '') ?? [];
    if (!signature) throw unavailable('its answer has no signature');
    return signature;
  }

  return {
    where: `The audit key ${name} at ${address}`,
    async signers() {
      const { data: answer } = Key.safeParse(await call('GET', `keys/${key}`));
      if (!answer) throw unavailable('its answer is no key');
      const { type, keys } = answer.data;
      if (type !== 'ed25519') throw unavailable(`its key ${name} is of type ${type}, not ed25519`);
      const versions = Object.entries(keys).sort(([a], [b]) => Number(b) - Number(a));
      return versions.map(([version, { public_key: raw }]): AuditSigner => {
        const publicKey = readPublicKey(raw);
        if (!publicKey) throw unavailable(`version ${version} of its key ${name} is no public key`);
        return {
          publicKey,
          async sign(text) {
            const signature = await sign(version, text);
            if (isSignedBy(publicKey, text, signature)) return Buffer.from(signature, 'base64');
            throw unavailable('it signed with another key');
          },
        };
      });
    },
    async rotate() {
      await call('POST', `keys/${key}/rotate`, {});
    },
  };
}

async function boundedText(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('its answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Its own words, such as "permission denied". */
function reasonIn(text: string): string {
  try {
    const { data } = Problem.safeParse(JSON.parse(text));
    const [reason] = data?.errors ?? [];
    return reason ? `: ${reason.slice(0, 200).trim().replace(/\.$/, '')}` : '';
  } catch {
    return '';
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'its answer is no JSON';
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it does not answer';
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code ? `it can't be reached (${code})` : error.message.replace(/\.$/, '');
}
