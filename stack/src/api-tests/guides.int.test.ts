import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@tallyhand/service-kit/free-port';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../testing/members.ts';
import { type PackedProject, packedProject, systemNode } from '../testing/packed-project.ts';
import { sharedProduct } from '../testing/product.ts';

/*
 * The programs of the guides on /documentation, as the page shows them: only the address is this
 * product's. A machine without jq or requests skips theirs.
 */

const GUIDES = fileURLToPath(new URL('../../../web/src/features/support/guides/', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const SHOWN_ADDRESS = 'https://tallyhand.example.com';
const QUESTION = 'Within how many days can items be returned?';

const programs = {
  curl: { ending: 'sh', command: 'bash' },
  python: { ending: 'py', command: 'python3' },
  javascript: { ending: 'js', command: process.execPath },
} as const;
type Language = keyof typeof programs;

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const isThere: Record<Language, boolean> = {
  curl: works('curl', '--fail-with-body', '--version') && works('jq', '--version'),
  python: works('python3', '-c', 'import requests'),
  javascript: true,
};
const languages = (Object.keys(programs) as Language[]).filter((language) => isThere[language]);

const product = await sharedProduct();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guides-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(() => rm(folder, { recursive: true }));

let commandLine: PackedProject;
beforeAll(async () => {
  commandLine = await packedProject('cli');
});
afterAll(() => commandLine[Symbol.asyncDispose]());

describe('the guide to agents as code', () => {
  it('makes an agent from files, which answers, and has nothing to change afterwards', async () => {
    const { client, settings } = await organizationWithKey();
    const [command, file] = await programOf('agents-as-code', 'curl');
    const path = [join(commandLine.folder, 'node_modules/.bin'), join(systemNode(), '..')];
    const PATH = [...path, process.env.PATH].join(delimiter);
    const options = { env: { PATH, ...settings }, cwd: folder };
    const { stdout } = await promisify(execFile)(command, [file], options);
    expect(stdout).toContain('2 to create');
    expect(stdout).toContain('30 days');
    expect(stdout.trim().endsWith('Nothing to change.')).toBe(true);
    const { body } = await client.send<{ name: string }[]>('GET', '/api/agents');
    expect(body.map(({ name }) => name)).toEqual(['Support desk']);
  });
});

type Settings = Readonly<Record<string, string>>;

/** Writes the program to a file, and returns its command. */
async function programOf(guide: string, language: Language): Promise<[string, string]> {
  const { ending, command } = programs[language];
  const text = await readFile(join(GUIDES, `${guide}.${ending}`), 'utf8');
  const file = join(folder, `${guide}.${ending}`);
  await writeFile(file, text.replaceAll(SHOWN_ADDRESS, product.url));
  return [command, file];
}

/** What the program prints. Fails if it does. */
async function run(guide: string, language: Language, settings: Settings): Promise<string> {
  const [command, file] = await programOf(guide, language);
  const env = { PATH: process.env.PATH, ...settings };
  const { stdout } = await promisify(execFile)(command, [file], { env });
  return stdout;
}

const valueIn = (name: string, printed: string) =>
  printed.match(new RegExp(`^${name}=(.+)$`, 'm'))?.[1] ?? '';

async function organizationWithKey() {
  const { client } = await registerOrganization(product.url);
  const { key } = await newKey(client, 'Admin');
  return { client, settings: { TALLYHAND_API_KEY: key } };
}

/** Ends with the test. */
async function startReceiver(language: Language, port: number, settings: Settings) {
  const [command, file] = await programOf('webhook-receive', language);
  const env = { PATH: process.env.PATH, ...settings, PORT: `${port}` };
  const child: ChildProcess = spawn(command, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  // Shown if the test fails.
  child.stderr?.on('data', (text) => console.error(`${text}`));
  const answers = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    );
  await expect.poll(answers).toBe(true);
  return { printed: () => printed, [Symbol.dispose]: () => child.kill() };
}

describe.each(languages)('the guides in %s', (language) => {
  it('receive signed events and refuse others, and make an agent that answers', async () => {
    const { client, settings } = await organizationWithKey();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const created = await run('webhook-create', language, { ...settings, RECEIVER_URL: url });
    const secret = { WEBHOOK_SECRET: valueIn('WEBHOOK_SECRET', created) };
    // A shell receives nothing: the next language does.
    const receiving = language === 'curl' ? 'javascript' : language;
    using receiver = await startReceiver(receiving, port, secret);
    const headers = {
      'webhook-id': 'forged',
      'webhook-timestamp': `${Math.round(Date.now() / 1000)}`,
      'webhook-signature': 'v1,AAAA',
    };
    const forged = await fetch(url, { method: 'POST', body: '{"type":"TaskSucceeded"}', headers });
    expect(forged.status).toBe(401);

    const printed = await run('first-agent', language, settings);
    expect(printed).toContain('30 days');
    const { body } = await client.send<{ id: string }[]>('GET', '/api/agents');
    expect(body.map(({ id }) => id)).toEqual([valueIn('AGENT_ID', printed)]);
    await expect.poll(receiver.printed).toMatch(/^\S+ TaskSucceeded$/m);
    expect(receiver.printed()).not.toContain('forged');

    await showTheRest(language, client, { ...settings, AGENT_ID: valueIn('AGENT_ID', printed) });
  });
});

/** They stream a reply, call once for each idempotency key, and read page after page. */
async function showTheRest(language: Language, client: ApiClient, settings: Settings) {
  const streamed = await run('streaming', language, settings);
  expect(streamed).toContain('30 days');
  expect(streamed).toMatch(/Sources: \d|event: reply/);
  const first = await run('retries', language, settings);
  expect(valueIn('TASK_ID', first)).toMatch(/^[\da-f-]{36}$/);
  expect(await run('retries', language, settings)).toBe(first);
  for (const input of ['First?', 'Second?']) {
    await client.send('POST', `/api/agents/${settings.AGENT_ID}/execute`, { body: { input } });
  }
  const listed = await run('paging', language, settings);
  const inputs = listed
    .trim()
    .split('\n')
    .map((line) => line.split(' ').slice(2).join(' '));
  expect(inputs).toEqual(['Second?', 'First?', 'How long may order 4711 be returned?', QUESTION]);
}
