import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { localServer } from '@tallyhand/test-kit/http-server';
import { itIf } from '@tallyhand/test-kit/needs';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareJudges } from '../../../scripts/prepare.js';
import { runLedgerCommand } from '../operator/ledger-command.ts';
import { newKey } from '../testing/members.ts';
import {
  type PackedProject,
  packedProject,
  repository,
  systemNode,
} from '../testing/packed-project.ts';
import { sharedProduct } from '../testing/product.ts';

type Delivery = { readonly body: string; readonly headers: IncomingMessage['headers'] };

/**
 * Passes requests on to the product, and loses the first answer whose path `loses` matches: the
 * product has carried out that call. `POST /hook` takes a delivery, which `GET /hook` returns.
 */
async function faultyProxy(target: string, loses: RegExp) {
  const delivered = Promise.withResolvers<Delivery>();
  const lost: string[] = [];
  const server = await localServer(async ({ socket }, response, { method, url, headers, body }) => {
    if (url === '/hook' && method === 'POST') {
      delivered.resolve({ body, headers });
      return response.writeHead(204).end();
    }
    if (url === '/hook') return response.end(JSON.stringify(await delivered.promise));
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    if (loses.test(url) && lost.length === 0) {
      lost.push(text);
      return socket.destroy();
    }
    const link = answer.headers.get('link');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(link && { link }),
    });
    return response.end(text);
  });
  return { ...server, url: server.origin, lost };
}

const run = promisify(execFile);
const client = join(repository, 'client');
const BYTES_MAX = 15_000;

let packed: PackedProject;
let project: string;
beforeAll(async () => {
  packed = await packedProject('client');
  project = packed.folder;
});
afterAll(() => packed[Symbol.asyncDispose]());

type Compiled = { readonly lib: readonly string[]; readonly types: readonly string[] };
const ofNode: Compiled = { lib: ['es2023'], types: ['node'] };

/** Compiles programs of the project under `strict`, and checks the declarations of the package. */
async function compile(files: readonly string[], { lib, types }: Compiled = ofNode) {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2022',
    lib,
    types,
    typeRoots: [join(repository, 'node_modules', '@types')],
    outDir: 'built',
  };
  const config = join(project, `${files.join('-')}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  await run(join(repository, 'node_modules', '.bin', 'tsc'), ['-p', config], {
    cwd: project,
  }).catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
}

let programs: Promise<void> | undefined;

/** The path of client-program.fixture.ts, or of the examples of the README, compiled once. */
async function built(name: 'program' | 'readme'): Promise<string> {
  programs ??= compilePrograms();
  await programs;
  return join(project, 'built', `${name}.js`);
}

async function compilePrograms() {
  const source = fileURLToPath(new URL('./client-program.fixture.ts', import.meta.url));
  await copyFile(source, join(project, 'program.ts'));
  const readme = await readFile(join(client, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  await writeFile(join(project, 'readme.ts'), examples.join('\n'));
  await compile(['program.ts', 'readme.ts']);
}

/** Runs client-program.fixture.ts between the product and a proxy that loses an answer. */
async function runExternalProgram(program: string, options: readonly string[] = []) {
  const { url, key, organizationId } = await newAdmin();
  await leaveFewCredits(organizationId);
  await using proxy = await faultyProxy(url, /\/execute$/);
  const args = [...options, await built('program'), url, proxy.url];
  const env = { ...process.env, TALLYHAND_API_KEY: key };
  const { stdout } = await run(program, args, { cwd: project, env });
  return { stdout, lost: proxy.lost };
}

const outcome = {
  wrongKey: '401 not-signed-in',
  invalid: '422 validation-failed',
  unknown: '404 not-found',
  retried: { output: expect.stringContaining('30 days'), creditCost: 1, tasks: 1 },
  paged: ['Five', 'Four', 'Three', 'Two', 'One', 'Returns'],
  aborted: 'Error: I left',
  chatted: {
    events: ['started', 'text', 'reply'],
    text: expect.stringContaining('30 days'),
    reply: expect.objectContaining({ response: expect.stringContaining('30 days') }),
  },
  delivered: { name: 'Delivered', forged: true },
  exhausted: 'insufficient-credits',
};

async function newAdmin() {
  const { url } = await sharedProduct();
  const { client: admin, user } = await registerOrganization(url);
  const { key } = await newKey(admin, 'Admin');
  return { url, key, organizationId: user.organization.id };
}

/** The program ends when it has used up all of them. */
async function leaveFewCredits(organizationId: string) {
  await using opened = await openKit((await sharedProduct()).config);
  const why = ['--reason', 'A short test', '--approver', 'Ada Berg'];
  const which = ['--organization', organizationId];
  const { lines } = await runLedgerCommand(['adjust', ...which, '--credits=-90', ...why], opened);
  expect(lines).toEqual(['Done. The balance is now 10 credits.']);
}

describe('the packed client library', () => {
  it('has no dependencies, and types that need no other package', async () => {
    const installed = join(project, 'node_modules', '@tallyhand', 'client');
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(await readdir(join(project, 'node_modules', '@tallyhand'))).toEqual(['client']);
    const files = await readdir(installed, { recursive: true });
    const texts = await Promise.all(
      files
        .filter((name) => /\.(js|d\.ts)$/.test(name))
        .map((name) => readFile(join(installed, name), 'utf8')),
    );
    const named = texts.flatMap((text) =>
      [...text.matchAll(/\bfrom ["']([^"']+)["']/g)].map(([, to]) => to),
    );
    expect(named.filter((name) => !name?.startsWith('./') && !name?.startsWith('../'))).toEqual([]);
    expect(files.filter((name) => /generator|testing|\.test\.|\.stamp/.test(name))).toEqual([]);
  });

  it(`is at most ${BYTES_MAX} bytes, minified and compressed`, async () => {
    const entry = join(project, 'node_modules', '@tallyhand', 'client', 'dist', 'tallyhand.js');
    const bundle = await rolldown({ input: entry });
    const { output } = await bundle.generate({ minify: true, format: 'es' });
    const size = gzipSync(output[0].code).length;
    expect(size).toBeLessThan(BYTES_MAX);
    expect(size).toBeGreaterThan(5_000);
  });

  it('compiles for browsers, without the types of Node', async () => {
    const file = 'browser.ts';
    const text = `import { Tallyhand } from '@tallyhand/client';
      const client = new Tallyhand({ baseUrl: location.origin });
      export const names = async () => (await client.agents.list()).data.map(({ name }) => name);
      export const upload = (file: File) => client.articles.import({ file });
      // @ts-expect-error: an agent has no such field.
      export const wrong = async () => (await client.agents.retrieve('a')).nothing;
      // @ts-expect-error: there is no such status.
      export const never = () => client.tasks.list({ status: 'never' });`;
    await writeFile(join(project, file), text);
    await compile([file], { lib: ['es2022', 'dom', 'dom.iterable'], types: [] });
  });

  it('serves an external program, also over a broken connection', async () => {
    const { stdout, lost } = await runExternalProgram(systemNode());
    expect(lost).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual(outcome);
  });
});

/** Other runtimes, which run the same compiled program. */
const runtimes: Readonly<Record<string, readonly [program: string, ...options: string[]]>> = {
  Deno: ['@deno/linux-x64-glibc/deno', 'run', '--allow-all', '--no-remote'],
  Bun: ['@oven/bun-linux-x64/bin/bun', '--no-install'],
};

describe('the client library elsewhere', () => {
  prepareJudges('runtimes');
  for (const [name, [file, ...options]] of Object.entries(runtimes)) {
    const program = join(repository, 'judges', 'runtimes', 'node_modules', file);
    itIf(existsSync(program), name)(`works on ${name} as it does on Node`, async () => {
      const { stdout, lost } = await runExternalProgram(program, options);
      expect(lost).toHaveLength(1);
      expect(JSON.parse(stdout)).toEqual(outcome);
    });
  }
});

describe('the README of the client library', () => {
  it('has examples that compile under strict and work, one after the other', async () => {
    const { url, key } = await newAdmin();
    const env = { ...process.env, TALLYHAND_URL: url, TALLYHAND_API_KEY: key };
    const { stdout } = await run(systemNode(), [await built('readme')], { env });
    const lines = stdout.trim().split('\n');
    expect(stdout).toContain('30 days');
    expect(stdout).toContain('success 1\n');
    expect(stdout).toContain('Sources: 1\n');
    expect(stdout).toContain('input: Please provide instructions for the agent\n');
    expect(stdout.match(/^202 \S{36}$/gm)).toHaveLength(2);
    expect(lines.slice(-5)).toEqual([
      'Now version 2',
      'Support 200 true',
      'Support',
      'Shipping',
      'true',
    ]);
  });
});
