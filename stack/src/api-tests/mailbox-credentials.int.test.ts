import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { connectMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { SOON } from '../testing/soon.ts';

const canary = 'canary-of-the-mailbox';

/** A POP3 server that records what it receives, and accepts no login. */
class Pop3 {
  received = '';
  readonly #server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('+OK ready\r\n');
    socket.on('data', (chunk) => {
      this.received += chunk;
      for (const line of String(chunk).split('\r\n').filter(Boolean)) {
        socket.write(line.startsWith('USER') ? '+OK\r\n' : '-ERR no\r\n');
      }
    });
  });
  async open() {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }
  close() {
    this.#server.close();
  }
}

let product: OwnProduct;
let admin: ApiClient;
const [own, attacker] = [new Pop3(), new Pop3()];
let ownPort = 0;
let attackerPort = 0;

beforeAll(async () => {
  ownPort = await own.open();
  attackerPort = await attacker.open();
  product = await startTestProduct({ allowPrivateHosts: '127.0.0.1', mailboxTimes: SOON });
  ({ client: admin } = await registerOrganization(product.url));
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  own.close();
  attacker.close();
});

describe('the password of a mailbox', () => {
  it('is required again with each change of its server, and reaches no other one', async () => {
    const { agent } = await agentWithArticle(admin);
    const { client: manager } = await joinAs(admin, product.url, 'AgentManager');
    const server = { host: '127.0.0.1', username: 'support', ssl: false };
    const connect = (client: ApiClient, credentials: object, rest: object = {}) =>
      client.call<Problem>(connectMailbox, {
        params: { id: agent.id },
        body: {
          providerType: 'pop3',
          emailAddress: 'support@shop.example',
          credentials: { ...server, ...credentials },
          ...rest,
        },
      });
    const paths = ({ body }: { body: Problem }) => body.errors?.map(({ path }) => path);

    expect((await connect(admin, { port: ownPort, password: canary })).status).toBe(201);
    await expect.poll(() => own.received).toContain(`PASS ${canary}`);

    const moves = [
      [{ port: attackerPort }, 'credentials.password'],
      [{ port: ownPort, host: 'mail.attacker.example' }, 'credentials.password'],
      [{ port: ownPort, ssl: true }, 'credentials.password'],
      [
        {
          port: ownPort,
          password: canary,
          smtp: { host: '127.0.0.1', port: attackerPort, username: 'support', tls: false },
        },
        'credentials.smtp.password',
      ],
    ] as const;
    for (const [credentials, path] of moves) {
      const refused = await connect(manager, credentials);
      expect([refused.status, paths(refused)]).toEqual([422, [path]]);
    }
    expect(attacker.received).toBe('');

    const moved = await connect(manager, { port: attackerPort, password: 'another' });
    expect(moved.status).toBe(201);
    await expect.poll(() => attacker.received).toContain('PASS another');
    expect(attacker.received).not.toContain(canary);
  });
});
