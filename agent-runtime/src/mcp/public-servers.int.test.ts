import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllowedHosts } from '../guard/allowed-hosts.ts';
import { publicServers } from './fixtures/public-servers.ts';
import type { KeepPicture } from './mcp-result.ts';
import { type McpProgram, type McpServer, McpSession } from './mcp-session.ts';

const never = new AbortController().signal;
const policy = { ownOrigins: [], allowedHosts: parseAllowedHosts('127.0.0.0/8') };
const keepNothing: KeepPicture = () => Promise.resolve('a picture');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-servers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const started = (
  name: keyof typeof publicServers,
  args: string[] = [],
  env: McpProgram['env'] = {},
) =>
  opened({
    config: { baseUrl: '', authType: 'none', extras: {} },
    credentials: {},
    program: { command: process.execPath, args: [publicServers[name], ...args], env },
  });

const opened = (server: McpServer) => McpSession.open(server, policy, never);

async function call(session: McpSession, name: string, args: object) {
  const tools = await session.tools(never);
  const text = tools.find(({ definition }) => definition.name === name)?.text ?? '';
  return session.call({ name, text }, { ...args }, never, keepNothing);
}

describe('server-memory', () => {
  it('keeps what it is told, over a restart', async () => {
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    {
      await using session = await started('memory', [], env);
      const entities = [{ name: 'Anna', entityType: 'customer', observations: ['pays in cash'] }];
      const made = await call(session, 'create_entities', { entities });
      expect(made.isError).toBe(false);
    }
    await using session = await started('memory', [], env);
    expect((await call(session, 'search_nodes', { query: 'cash' })).text).toContain('Anna');
  });
});

describe('server-filesystem', () => {
  it('reads and writes files in its folder, and nowhere else', async () => {
    await writeFile(join(folder, 'notes.txt'), 'Order 7 was sent.');
    await using session = await started('filesystem', [folder]);
    const path = join(folder, 'notes.txt');
    expect((await call(session, 'read_text_file', { path })).text).toContain('Order 7 was sent.');
    const copy = join(folder, 'copy.txt');
    await call(session, 'write_file', { path: copy, content: 'A copy.' });
    expect(await readFile(copy, 'utf8')).toBe('A copy.');
    const outside = await call(session, 'read_text_file', { path: '/etc/passwd' });
    expect(outside.isError).toBe(true);
  });
});

describe('server-everything', () => {
  const everything = async (session: McpSession) => {
    const names = (await session.tools(never)).map(({ definition }) => definition.name);
    expect(names).toContain('echo');
    expect((await call(session, 'echo', { message: 'Hello' })).text).toContain('Hello');
    expect((await call(session, 'get-sum', { a: 19, b: 23 })).text).toContain('42');
    expect((await call(session, 'get-tiny-image', {})).text).toContain('a picture');
    const long = { duration: 0.2, steps: 2 };
    expect((await call(session, 'trigger-long-running-operation', long)).text).toContain(
      'ompleted',
    );
  };

  it('answers as a program', async () => {
    await using session = await started('everything', ['stdio']);
    await everything(session);
  });

  it.each(['streamableHttp', 'sse'])('answers over %s', async (transport) => {
    const port = await freePort();
    await using _ = serving(transport, port);
    const baseUrl = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
    const server: McpServer = {
      config: { baseUrl, authType: 'none', extras: {} },
      credentials: {},
    };
    await expect.poll(() => isListening(port), { timeout: 20_000 }).toBe(true);
    await using session = await opened(server);
    await everything(session);
  });
});

function serving(transport: string, port: number): AsyncDisposable {
  const env = { ...process.env, PORT: `${port}` };
  const child: ChildProcess = spawn(process.execPath, [publicServers.everything, transport], {
    env,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.end());
  });

/** Free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('a program', () => {
  const server = (program: McpProgram): McpServer => ({
    config: { baseUrl: '', authType: 'none', extras: {} },
    credentials: {},
    program,
  });

  it('that does not exist is reported', async () => {
    const program = { command: join(folder, 'nothing'), args: [], env: {} };
    await expect(opened(server(program))).rejects.toThrow("couldn't be started");
  });

  it('that ends at once is reported', async () => {
    const program = { command: process.execPath, args: ['-e', ''], env: {} };
    await expect(opened(server(program))).rejects.toThrow('closed the connection');
  });

  it('gets none of the environment of the product', async () => {
    process.env.A_SECRET_OF_THE_PRODUCT = 'a-canary';
    const told = join(folder, 'environment.json');
    const script = `require('fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.env))`;
    const program = { command: process.execPath, args: ['-e', script], env: { OWN: 'one' } };
    await expect(opened(server(program))).rejects.toThrow();
    delete process.env.A_SECRET_OF_THE_PRODUCT;
    const environment = JSON.parse(await readFile(told, 'utf8'));
    expect(environment).toMatchObject({ OWN: 'one' });
    expect(JSON.stringify(environment)).not.toContain('a-canary');
  });

  it('that writes without an end is stopped', async () => {
    const script = `setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)`;
    const program = { command: process.execPath, args: ['-e', script], env: {} };
    await expect(opened(server(program))).rejects.toThrow();
  });
});
