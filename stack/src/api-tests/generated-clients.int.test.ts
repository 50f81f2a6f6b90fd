import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../testing/members.ts';
import { sharedProduct } from '../testing/product.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-clients-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a stranger writes who has the address, a key and the generated client. */
const PROGRAM = `
import { assignResources, chatWithAgent, createAgent, createArticle, executeTask, listTasks } from './hey-api';
import { client } from './hey-api/client.gen';

declare const process: { argv: string[] };
const [, , baseUrl = '', auth = ''] = process.argv;
client.setConfig({ baseUrl, auth });

async function main() {
  const agent = await createAgent({
    body: {
      name: 'Support',
      description: 'Answers customers',
      personaConfig: {
        role: 'Support agent',
        personality: 'Patient and kind',
        expertise: ['Returns'],
      },
    },
    throwOnError: true,
  });
  const article = await createArticle({
    body: {
      title: 'Returns',
      content: 'Items can be returned within 30 days of delivery.',
      category: 'General',
    },
    throwOnError: true,
  });
  const path = { id: agent.data.id };
  await assignResources({ path, body: { articles: [article.data.id] }, throwOnError: true });
  const task = await executeTask({
    path,
    body: { input: 'How long can items be returned?' },
    headers: { 'Idempotency-Key': 'first' },
    throwOnError: true,
  });
  const output = 'output' in task.data ? task.data.output : null;
  const tasks = await listTasks({ query: { status: 'success' }, throwOnError: true });
  const refused = await chatWithAgent({ path, body: { message: '' } });
  const problem = refused.error;
  console.log(JSON.stringify({
    output,
    cost: tasks.data.map((one) => one.creditCost),
    problem: problem && { code: problem.code, fields: problem.errors?.map((one) => one.path) },
  }));
}
main().catch((error) => console.log(JSON.stringify(error)));
`;

/** The same calls by types alone: fields with a default are not asked for. */
const TYPED = `
import type { paths } from './types/api';

type Sent<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
} ? Body : never;

export const agent: Sent<'/api/agents'> = {
  name: 'Support',
  description: 'Answers customers',
  personaConfig: { role: 'Agent', personality: 'Patient and kind', expertise: ['Returns'] },
};
export const article: Sent<'/api/knowledge'> = {
  title: 'Returns',
  content: 'Items can be returned within 30 days of delivery.',
  category: 'General',
};
export const task: Sent<'/api/agents/{id}/execute'> = { input: 'How long?' };
// @ts-expect-error An unknown field shows that these are the types of the bodies.
export const wrong: Sent<'/api/agents/{id}/execute'> = { input: 'How long?', inputs: 1 };
`;

describe('clients that others generate from the API document', () => {
  it('compile under strict, and make calls with an API key', async () => {
    const { url } = await sharedProduct();
    const { client } = await registerOrganization(url);
    const { key } = await newKey(client, 'Admin');
    const document = join(folder, 'openapi.json');
    const { body } = await client.send('GET', '/api/openapi.json');
    await writeFile(document, JSON.stringify(body));
    await writeFile(join(folder, 'main.ts'), PROGRAM);
    await writeFile(join(folder, 'typed.ts'), TYPED);
    const judge = fileURLToPath(new URL('../../../judges/openapi/clients.js', import.meta.url));
    await run(process.execPath, [judge, document, folder]);
    const { stdout } = await run(process.execPath, [join(folder, 'built', 'main.js'), url, key]);
    expect(JSON.parse(stdout)).toEqual({
      output: expect.stringContaining('30 days'),
      cost: [1],
      problem: { code: 'validation-failed', fields: ['message'] },
    });
  });
});
