import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { httpServer } from './http-server.ts';

export type TransitPeer = AsyncDisposable & {
  readonly address: string;
  readonly token: string;
  readonly mount: string;
  readonly name: string;
  /** What it does with calls. */
  state: 'answering' | 'silent' | 'sealed' | 'wrong' | 'redirecting';
  /** The methods and paths of its calls. */
  readonly calls: readonly string[];
};

const NAME = 'tallyhand-audit';
const TOKEN = 'hvs.test-token';

/**
 * Answers as the transit engine of Vault does for an Ed25519 key, by its documentation:
 * https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export async function startTransitPeer(): Promise<TransitPeer> {
  const versions: KeyObject[] = [];
  const calls: string[] = [];
  const createdAt = new Date().toISOString();
  const rotate = () => versions.push(generateKeyPairSync('ed25519').privateKey);
  const keyAnswer = () => ({
    data: {
      type: 'ed25519',
      name: NAME,
      exportable: false,
      latest_version: versions.length,
      min_decryption_version: 1,
      supports_signing: true,
      keys: Object.fromEntries(
        versions.map((key, index) => [
          String(index + 1),
          { creation_time: createdAt, name: 'ed25519', public_key: publicOf(key) },
        ]),
      ),
    },
  });
  rotate();

  async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    if (request.headers['x-vault-token'] !== TOKEN) return [403, errors('permission denied')];
    const { method, url } = request;
    if (method === 'GET' && url === `/v1/transit/keys/${NAME}`) return [200, keyAnswer()];
    if (method === 'POST' && url === `/v1/transit/keys/${NAME}/rotate`) {
      rotate();
      return [200, keyAnswer()];
    }
    if (method === 'POST' && url === `/v1/transit/sign/${NAME}`) {
      const { input, key_version: version = versions.length } = (await json(request)) as {
        input: string;
        key_version?: number;
      };
      const key = peer.state === 'wrong' ? otherKey : versions[version - 1];
      if (!key) return [400, errors('requested version for signing does not exist')];
      const signature = sign(null, Buffer.from(input, 'base64'), key).toString('base64');
      return [200, { data: { signature: `vault:v${version}:${signature}`, key_version: version } }];
    }
    return [404, errors()];
  }
  const otherKey = generateKeyPairSync('ed25519').privateKey;

  async function serve(request: IncomingMessage, response: ServerResponse) {
    calls.push(`${request.method} ${request.url}`);
    if (peer.state === 'silent') return;
    if (peer.state === 'sealed') return send(response, 503, errors('Vault is sealed'));
    if (peer.state === 'redirecting') {
      return response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    }
    send(response, ...(await answer(request)));
  }
  const server = await httpServer((request, response) => void serve(request, response));
  const peer: TransitPeer = {
    ...server,
    address: server.origin,
    token: TOKEN,
    mount: 'transit',
    name: NAME,
    state: 'answering',
    calls,
  };
  return peer;
}

/** Raw bytes, as Vault has them for this type of key. */
const publicOf = (key: KeyObject) =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');

const errors = (...reasons: string[]) => ({ errors: reasons });

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
