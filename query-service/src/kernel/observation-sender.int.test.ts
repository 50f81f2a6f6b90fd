import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { listen } from '@tallyhand/service-kit/http/server';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { jsonLog } from '@tallyhand/service-kit/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observationSender } from './observation-sender.ts';

/** The maximum of one call. */
const AT_ONCE_MAX = 1_000;
const TOKEN = 'a token of our own';

type Received = {
  readonly authorization: string | undefined;
  readonly observations: Observation[];
};

let received: Received[];
let status: number;
let parts: AsyncDisposableStack;
let commandServiceUrl: string;
beforeEach(async () => {
  received = [];
  status = 204;
  parts = new AsyncDisposableStack();
  const server = await listen(
    async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
      received.push({ authorization: request.headers.authorization, ...body });
      response.writeHead(status).end();
    },
    { port: 0, host: '127.0.0.1' },
  );
  parts.use(server);
  commandServiceUrl = `http://127.0.0.1:${server.port}`;
});
afterEach(() => parts.disposeAsync());

const use = (count: number): Observation => ({ kind: 'key-used', credentialId: newId(), count });
const open = (collectMs = 10) =>
  observationSender({
    commandServiceUrl,
    internalToken: TOKEN,
    collectMs,
    retryMs: 10,
    log: jsonLog('test', 'silent'),
  });
const told = () => received.flatMap(({ observations }) => observations);

describe('observations of reads', () => {
  it('are sent together, in order, with the internal token', async () => {
    const observations = [use(1), use(2), use(3)];
    {
      await using teller = open(60_000);
      for (const each of observations) teller.observe(each);
    }
    expect(received).toEqual([{ authorization: bearer(TOKEN), observations }]);
  });

  it('are sent soon, also later ones', async () => {
    await using teller = open();
    for (const count of [1, 2]) {
      teller.observe(use(count));
      await expect.poll(() => told().length).toBe(count);
    }
  });

  it('are sent in pieces of the accepted size', async () => {
    const count = AT_ONCE_MAX + 1;
    {
      await using teller = open(60_000);
      for (let each = 1; each <= count; each += 1) teller.observe(use(each));
    }
    expect(received.map(({ observations }) => observations.length)).toEqual([count - 1, 1]);
  });

  it.each([503, 429])(
    'are kept while the answer is %i, and sent once it is accepted',
    async (busy) => {
      status = busy;
      await using teller = open();
      const one = use(1);
      teller.observe(one);
      await expect.poll(() => received.length).toBeGreaterThan(1);
      status = 204;
      const refused = received.length;
      await expect.poll(() => received.length).toBe(refused + 1);
      expect(received.at(-1)?.observations).toEqual([one]);
    },
  );

  it('are dropped when refused: later ones are sent', async () => {
    status = 422;
    await using teller = open();
    teller.observe(use(1));
    await expect.poll(() => received.length).toBe(1);
    status = 204;
    const next = use(2);
    teller.observe(next);
    await expect.poll(() => received.length).toBe(2);
    expect(received.at(-1)?.observations).toEqual([next]);
  });

  it('do not keep a process from ending when the connection is refused', async () => {
    await parts.disposeAsync();
    const teller = open();
    teller.observe(use(1));
    await teller[Symbol.asyncDispose]();
    expect(received).toEqual([]);
  });

  it('that an answer waits for are recorded at once, or the answer fails', async () => {
    await using teller = open(60_000);
    await teller.record(use(1));
    expect(told()).toMatchObject([{ count: 1 }]);
    for (status of [503, 400]) await expect(teller.record(use(2))).rejects.toThrow(String(status));
  });
});
