import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent, LedgerEntry, Task, TaskDetail } from '@tallyhand/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLineHere, newcomer, newcomerWithAgent, QUESTION } from '../testing/command-line.ts';
import { createdEarlier, pastMonth } from '../testing/past-months.ts';
import { sharedProduct } from '../testing/product.ts';
import { shopDocument } from '../testing/shop.ts';

/* The installed program is in command-line-terminal.int.test.ts. */

let homes: string;
beforeAll(async () => {
  homes = await mkdtemp(join(tmpdir(), 'command-line-'));
});
afterAll(() => rm(homes, { recursive: true }));

let member: ReturnType<typeof newcomer> | undefined;
/** The same member of one organization, each time on a new machine. */
async function someone() {
  member ??= newcomer(await CommandLineHere.in(homes));
  return { ...(await member), cli: await CommandLineHere.in(homes) };
}
const signedIn = async () => newcomerWithAgent(await CommandLineHere.in(homes));

describe('tallyhand login', () => {
  it('stores a key from the standard input where only its owner can read it', async () => {
    const { url, key, cli } = await someone();
    const { code, stdout, stderr } = await cli.run(['login', url], { stdin: `${key}\n` });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`at ${url}.`)]);
    expect(stdout + stderr).not.toContain(key);
    expect((await stat(cli.loginFile)).mode & 0o777).toBe(0o600);
    expect((await stat(join(cli.loginFile, '..'))).mode & 0o777).toBe(0o700);
    const { organization, keyFrom } = await cli.json<Record<string, unknown>>('whoami');
    expect(organization).toMatchObject({ creditBalance: 100 });
    expect(keyFrom).toBe(cli.loginFile);
    await cli.do('logout');
    expect((await cli.run(['whoami'])).code).toBe(3);
  });

  it('takes address and key from the environment', async () => {
    const { url, key, cli } = await someone();
    const env = { TALLYHAND_URL: url, TALLYHAND_API_KEY: key };
    expect((await cli.run(['ledger', 'balance'], { env })).stdout).toContain('100');
    expect((await cli.run(['login'], { env })).code).toBe(0);
    expect(await cli.do('agents')).toBe('');
  });

  it('stores no key that Tallyhand does not accept', async () => {
    const { url, cli } = await someone();
    const wrong = await cli.run(['login', url], { stdin: 'tk_wrongwrongwrong' });
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('does not accept')]);
    const broken = await cli.run(['login', url], { stdin: 'two words' });
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('no API key')]);
    expect(wrong.stderr + broken.stderr).not.toMatch(/wrongwrong|two words/);
    await expect(stat(cli.loginFile)).rejects.toThrow('ENOENT');
  });

  it('sends a stored key to its own address alone', async () => {
    const { url, key, cli } = await someone();
    await cli.run(['login', url], { stdin: key });
    const other = await cli.run(['whoami'], { env: { TALLYHAND_URL: 'https://other.example' } });
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining(`belongs to ${url}`)]);
    const half = await cli.run(['whoami'], { env: { TALLYHAND_API_KEY: key } });
    expect([half.code, half.stderr]).toEqual([3, expect.stringContaining('Set TALLYHAND_URL')]);
    const plain = await cli.run(['login', 'http://192.0.2.1'], { stdin: key });
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('Use https')]);
  });

  it('refuses a stored key that others can read', async () => {
    const { url, key, cli } = await someone();
    await cli.run(['login', url], { stdin: key });
    await chmod(cli.loginFile, 0o640);
    const { code, stderr } = await cli.run(['whoami']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('can be read by others')]);
  });
});

describe('tallyhand run', () => {
  it('prints the answer alone on stdout, and charges one credit', async () => {
    const { cli } = await signedIn();
    const { code, stdout, stderr } = await cli.run(['run', 'support', QUESTION]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('30 days')]);
    expect(stderr).toContain('Sources: Returns');
    expect(stderr).toContain('1 credit');
    expect(await cli.do('ledger', 'balance')).toMatch(/available +99/);
  });

  it('reads the question from the standard input, runs once for one idempotency key, and is refused where a name is unknown', async () => {
    const { cli, agent } = await signedIn();
    const { stdout } = await cli.run(['run', agent.id, '-', '--json'], { stdin: QUESTION });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', input: QUESTION, creditCost: 1 });
    const line = ['run', 'Support', QUESTION, '--idempotency-key', 'order-1'];
    const first = await cli.json<TaskDetail>(...line);
    const second = await cli.json<TaskDetail>(...line);
    expect(second.id).toBe(first.id);
    expect(await cli.json<Task[]>('tasks')).toHaveLength(2);
    const unknown = await cli.run(['run', 'Support', '--tool', 'None', 'Go']);
    expect([unknown.code, unknown.stdout]).toEqual([4, '']);
    expect(unknown.stderr).toContain('There is no tool "None". There are none.');
  });

  it('prints each step of a playbook when it is done, and together they are the answer', async () => {
    const { cli, client, agent } = await signedIn();
    const { id } = await client.playbooks.create({
      title: 'Refund a customer',
      description: 'What to do when a customer asks for a refund',
      steps: ['Find the rule for returns', 'Answer how long items can be returned'],
      category: 'Support',
    });
    await client.agents.update(agent.id, { playbooks: [id] });
    const line = ['run', 'Support', '--playbook', 'Refund a customer', QUESTION];
    const { code, stdout, stderr } = await cli.run(line);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Sources: Returns.*1 credit/)]);
    const [task] = (await client.tasks.list()).data;
    expect(stdout.trimEnd()).toBe((await client.tasks.retrieve(task?.id ?? '')).output?.trimEnd());
    expect(stdout.match(/^### \d\. /gm)).toEqual(['### 1. ', '### 2. ']);
  });
});

describe('tallyhand chat', () => {
  it('answers one message, continues the conversation, and takes each line of the standard input as one', async () => {
    const { cli, client, agent } = await signedIn();
    const { stdout, stderr } = await cli.run(['chat', 'Support', QUESTION]);
    expect(stdout).toContain('30 days');
    const [, id = ''] = /--conversation (\S+)/.exec(stderr) ?? [];
    const next = await cli.json<{ conversationId: string }>(
      'chat',
      'Support',
      'Thank you',
      '--conversation',
      id,
    );
    expect(next.conversationId).toBe(id);
    const typed = await cli.run(['chat', 'Support'], { stdin: `${QUESTION}\n\nThanks\n` });
    expect([typed.code, typed.stdout], typed.stderr).toEqual([
      0,
      expect.stringContaining('30 days'),
    ]);
    const { data } = await client.agents.conversations.list(agent.id);
    expect(data.map(({ messageCount }) => messageCount)).toEqual([4, 4]);
  });

  it('says that a reply waits for an approval', async () => {
    const { cli, client, agent } = await signedIn();
    const { id } = await client.tools.create({
      name: 'Orders',
      description: 'Looks orders up in the shop',
      config: { baseUrl: 'https://shop.example/api', openapi: shopDocument },
    });
    await client.agents.update(agent.id, { tools: [id] });
    const line = ['chat', 'Support', 'Orders: refund order 7 with refundOrder'];
    const { code, stderr } = await cli.run(line);
    expect([code, stderr]).toEqual([0, expect.stringContaining('A tool call needs approval')]);
  });
});

describe('tallyhand tasks', () => {
  it('lists what matches a filter, and shows, retries and exports', async () => {
    const { cli, client, agent } = await signedIn();
    const { taskId } = await client.agents.execute(agent.id, { input: QUESTION });
    const all = await cli.do('tasks', '--agent', 'Support', '--status', 'success');
    expect(all).toContain(taskId);
    expect(await cli.do('tasks', '--status', 'failed')).toBe('');
    expect(await cli.do('tasks', 'show', taskId)).toMatch(/charge +1 credit, ledger entry \d+/);
    expect(await cli.do('tasks', 'watch', taskId)).toContain('30 days');
    expect(await cli.do('tasks', 'export')).toContain(taskId);
    const file = join(cli.home, 'tasks.json');
    await cli.do('tasks', 'export', '--format', 'json', '--output', file);
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveLength(1);
    const again = await cli.run(['tasks', 'retry', taskId]);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('Error:')]);
    const cancelled = await cli.run(['tasks', 'cancel', taskId]);
    expect(cancelled.code).toBe(4);
  });
});

describe('tallyhand agents', () => {
  it('lists, shows, pauses and deletes them by name', async () => {
    const { cli } = await signedIn();
    expect(await cli.do('agents')).toMatch(/^NAME.*\nSupport +active/);
    expect(await cli.do('agents', 'show', 'Support')).toMatch(/articles +Returns/);
    expect(await cli.do('agents', 'pause', 'Support')).toBe('Support is paused.\n');
    const paused = ['agents', '--sort', '-name', '--state', 'paused', '--article', 'Returns'];
    expect(await cli.json<Agent[]>(...paused)).toMatchObject([{ name: 'Support' }]);
    expect(await cli.json<Agent[]>('agents', '--search', 'zebra')).toEqual([]);
    expect((await cli.run(['agents', '--sort', 'best'])).code).toBe(2);
    expect((await cli.run(['run', 'Support', QUESTION])).code).toBe(4);
    const asked = await cli.run(['agents', 'delete', 'Support']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    await cli.do('agents', 'delete', 'Support', '--yes');
    expect(await cli.json<Agent[]>('agents')).toEqual([]);
  });

  it('creates one from a file, and refuses a name that exists and a name that does not', async () => {
    const { cli, client } = await signedIn();
    const text = `name: Scout
description: Finds what customers ask for
personaConfig: { role: Scout, personality: Quick and precise, expertise: [Search] }
articles: [Returns]
`;
    const file = join(cli.home, 'scout.yaml');
    await writeFile(file, text);
    expect(await cli.do('agents', 'create', file)).toMatch(/^Created Scout: \S{36}\n$/);
    expect(await cli.do('agents', 'show', 'Scout')).toMatch(/articles +Returns/);
    const again = await cli.run(['agents', 'create', '-'], { stdin: text });
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('already')]);
    const stdin = text.replace('Scout', 'Other').replace('[Returns]', '[Refunds]');
    const unknown = await cli.run(['agents', 'create', '-'], { stdin });
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('-:4: articles: the article "Refunds" does not exist'),
    ]);
    expect((await client.agents.list()).data).toHaveLength(2);
  });

  it('names the choice where a name is unknown, and the ids where two share it', async () => {
    const { cli, client, agent } = await signedIn();
    const unknown = await cli.run(['run', 'Suport', QUESTION]);
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('  Support')]);
    const { id: _, version: _v, createdAt: _c, updatedAt: _u, formPolicy: _f, ...same } = agent;
    const twin = await client.agents.create(same);
    const shared = await cli.run(['run', 'Support', QUESTION]);
    expect([shared.code, shared.stderr]).toEqual([4, expect.stringContaining('2 agents have')]);
    expect(shared.stderr).toContain(twin.id);
  });
});

describe('tallyhand ledger', () => {
  it('lists the newest entries, exports all as CSV, and downloads the statement of a month', async () => {
    const { cli, client, agent } = await signedIn();
    await client.agents.execute(agent.id, { input: QUESTION });
    const [newest] = await cli.json<LedgerEntry[]>('ledger', '--limit', '1');
    expect(newest).toMatchObject({ kind: 'charged', available: 99 });
    expect((await cli.do('ledger', 'export')).trim().split('\n')).toHaveLength(4);
    const future = await cli.do('ledger', 'export', '--from', '2999-01-01');
    expect(future.trim().split('\n')).toHaveLength(1);
    const { id } = await client.organization.retrieve();
    await createdEarlier((await sharedProduct()).config, id);
    const month = pastMonth();
    expect(await cli.do('ledger', 'statement', month, '--format', 'csv')).toContain(
      `about,month,${month}`,
    );
    expect(await cli.do('ledger', 'statement', month)).toMatch(/^%PDF-/);
    const signature = JSON.parse(await cli.do('ledger', 'statement', month, '--signature'));
    expect(signature.text).toContain(`\n${month}\npdf\n`);
    const none = await cli.run(['ledger', 'statement', '2999-01']);
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('2999-01')]);
  });
});

describe('tallyhand', () => {
  it('is refused with its own exit code when it is used wrongly', async () => {
    const { cli } = await someone();
    const codes = [
      'agnts',
      'run',
      'tasks list --status never',
      'tasks --limit 0',
      '--nothing',
      '',
    ].map(async (line) => (await cli.run(line.split(' ').filter(Boolean))).code);
    expect(await Promise.all(codes)).toEqual([2, 2, 2, 2, 2, 2]);
    expect((await cli.run(['agents'])).code).toBe(3);
    const env = { TALLYHAND_URL: 'http://127.0.0.1:9', TALLYHAND_API_KEY: 'key-of-nothing' };
    const down = await cli.run(['login'], { env });
    expect([down.code, down.stderr]).toEqual([5, expect.stringContaining('Check the address')]);
  });
});
