import { endpoints } from '@tallyhand/contracts/endpoints';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { getTaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { Problem } from '@tallyhand/contracts/kernel/problem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
} from '../testing/api-client.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;
let agentId = '';

beforeAll(async () => {
  product = await startTestProduct();
  ({ client } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
});
afterAll(() => product[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;

/** Bodies that no call takes. */
const hostile: Record<string, { raw: string; headers?: Record<string, string> }> = {
  'text that is no JSON': { raw: '{"a":' },
  null: { raw: 'null' },
  'a list': { raw: '[]' },
  'a number': { raw: '7' },
  'unknown fields': { raw: '{"isAdmin":true,"organizationId":"x"}' },
  'a prototype': { raw: '{"__proto__":{"role":"Admin"}}' },
  'a null character': { raw: '{"name":"a\\u0000b","input":"a\\u0000b","email":"a\\u0000b"}' },
  'half a surrogate pair': { raw: '{"name":"\\ud800","input":"\\ud800","email":"\\ud800"}' },
  'ten thousand levels': { raw: deep },
  'five megabytes': { raw: `{"input":"${'x'.repeat(5 * 1024 * 1024)}"}` },
  'plain text': { raw: 'hello', headers: { 'content-type': 'text/plain' } },
  'a form': { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
};

const taking = endpoints.filter(({ body }) => body).map(({ name }) => name);

async function state() {
  const answers = [getOrganization, listAgents, listArticles, getTaskStats].map((endpoint) =>
    client.call(endpoint),
  );
  return (await Promise.all(answers)).map(({ body }) => body);
}

describe.each(taking)('%s', (name) => {
  it.each(Object.keys(hostile))('refuses %s with a problem, and does nothing', async (kind) => {
    const endpoint = endpoints.find((each) => each.name === name);
    const { raw, headers = json } = hostile[kind] ?? { raw: '' };
    const before = await state();
    const path = pathOf(endpoint ?? { path: '' }, { id: agentId });
    const answer = await client.send(endpoint?.method ?? '', path, { raw, headers });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const problem = Problem.parse(answer.body);
    expect(problem.status).toBe(answer.status);
    if (problem.status === 422) expect(problem.errors).not.toEqual([]);
    expect(await state()).toEqual(before);
  });
});

describe('an agent', () => {
  const wrong: [path: string, message: string, change: object][] = [
    ['name', 'Name must be at least 2 characters', { name: ' a ' }],
    ['description', 'Description must be at least 10 characters', { description: 'too short' }],
    [
      'personaConfig.expertise',
      'At least one expertise area is required',
      { personaConfig: { ...agentInput.personaConfig, expertise: [' '] } },
    ],
    [
      'personaConfig.role',
      'Role is required',
      { personaConfig: { ...agentInput.personaConfig, role: '' } },
    ],
    [
      'personaConfig.personality',
      'Personality description is required',
      { personaConfig: { ...agentInput.personaConfig, personality: 'too short' } },
    ],
    ['isActive', 'Must be true or false', { isActive: 'yes' }],
    ['colour', 'There is no such field', { colour: 'blue' }],
  ];

  it.each(wrong)('names the field %s', async (path, message, change) => {
    const body = { ...agentInput, ...change };
    const answer = await client.send<Problem>('POST', '/api/agents', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toContainEqual({ path, message });
  });
});
