import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  changePlaybook,
  createPlaybook,
  deletePlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  listTasks,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  playbookInput,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const steps = [
  'Within how many days can items be returned?',
  'Who pays for the label when something is returned?',
];

let product: TestProduct;
let client: ApiClient;
let agentId = '';
let articleId = '';

beforeAll(async () => {
  product = await sharedProduct();
});
beforeEach(async () => {
  ({ client } = await registerOrganization(product.url));
  const made = await agentWithArticle(client, {
    title: 'Returns',
    content:
      'Items can be returned within 30 days of delivery.\n\nWe pay for the label when something is returned.',
  });
  [agentId, articleId] = [made.agent.id, made.article.id];
});

const playbook = async (input: object = {}) =>
  (await client.call<Playbook>(createPlaybook, { body: { ...playbookInput, steps, ...input } }))
    .body;
const assign = (...playbooks: string[]) =>
  client.call(assignResources, {
    params: { id: agentId },
    body: { articles: [articleId], playbooks },
  });
const run = (body: object = {}) =>
  client.call<ExecutionResult & Problem>(executeTask, {
    params: { id: agentId },
    body: { input: 'Anna wants to send her tent back', type: 'playbook', ...body },
  });
const detail = async (id: string) =>
  (await client.call<TaskDetail>(getTask, { params: { id } })).body;

describe('a task that follows a playbook', () => {
  it('does its steps in order, each with its result, for one credit', async () => {
    const { id } = await playbook();
    await assign(id);
    const { body } = await run();
    expect(body).toMatchObject({ success: true, creditCost: 1 });
    expect(body.output).toContain(`### 1. ${steps[0]}`);
    expect(body.output).toContain('30 days');
    expect(body.sources.map((source) => source.articleTitle)).toContain('Returns');
    const task = await detail(body.taskId);
    expect(task).toMatchObject({
      type: 'playbook',
      playbook: { id, title: playbookInput.title, version: 1 },
      steps: steps.map((instruction, at) => ({ ordinal: at + 1, instruction })),
    });
    expect(task.steps[1]?.output).toMatch(/we pay/i);
    const { body: ledger } = await client.call<LedgerEntry[]>(listLedgerEntries);
    expect(ledger[0]).toMatchObject({ kind: 'charged', amount: 1, workType: 'playbook' });
  });

  it('keeps the version that it followed', async () => {
    const { id } = await playbook();
    await assign(id);
    const { body } = await run();
    const change = { title: 'Another title', steps: ['Only one step, and that a new one'] };
    await client.call(changePlaybook, { params: { id }, body: change });
    expect((await detail(body.taskId)).playbook).toMatchObject({ version: 1 });
    expect((await detail(body.taskId)).steps).toHaveLength(2);
    const again = await run();
    expect(await detail(again.body.taskId)).toMatchObject({ playbook: { version: 2 } });
  });

  it('uses the named one, or otherwise the best match', async () => {
    const refunds = await playbook({ title: 'Send something back' });
    const repairs = await playbook({
      title: 'Repair a tent',
      description: 'Seams, poles and zips',
    });
    await assign(refunds.id, repairs.id);
    const named = await run({ playbookId: refunds.id, input: 'My tent needs a repair' });
    expect((await detail(named.body.taskId)).playbook?.id).toBe(refunds.id);
    const chosen = await run({ input: 'My tent needs a repair' });
    expect((await detail(chosen.body.taskId)).playbook?.id).toBe(repairs.id);
  });

  it('is refused when none is assigned or left, and reserves nothing', async () => {
    expect((await run()).body).toMatchObject({ status: 409, code: 'no-playbook-assigned' });
    const { id } = await playbook();
    await assign(id);
    await client.call(deletePlaybook, { params: { id } });
    expect((await run()).body).toMatchObject({ status: 409, code: 'no-playbook-assigned' });
    expect((await client.call(listTasks)).body).toEqual([]);
    const { body: ledger } = await client.call<LedgerEntry[]>(listLedgerEntries);
    expect(ledger.map(({ kind }) => kind)).toEqual(['granted']);
  });

  it('is refused for one that the agent does not have, which is named', async () => {
    const mine = await playbook();
    await assign(mine.id);
    const other = await playbook();
    for (const body of [
      { playbookId: other.id },
      { playbookId: crypto.randomUUID() },
      { playbookId: mine.id, type: 'query' },
      { playbookId: 'mine' },
    ]) {
      const answer = await run(body);
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, 'playbookId']);
    }
  });
});
