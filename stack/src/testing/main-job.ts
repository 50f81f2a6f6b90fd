import { Charge, listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

/** From registration to the ledger entry of a task, at the product at `url`. */
export async function doMainJob(url: string): Promise<void> {
  const { client, user } = await registerOrganization(url);
  const { agent, article } = await agentWithArticle(client);

  const executed = await client.call<ExecutionResult>(executeTask, {
    params: { id: agent.id },
    body: { input: 'Within how many days can items be returned?', type: 'query' },
  });

  expect(executed.status).toBe(200);
  expect(executed.body).toMatchObject({ success: true, creditCost: 1, error: null });
  expect(executed.body.output).toContain('within 30 days of delivery');
  expect(executed.body.sources[0]?.articleId).toBe(article.id);

  const organization = await client.call(getOrganization);
  expect(organization.body).toMatchObject({ creditBalance: 99, reserved: 0 });

  const task = await client.call(getTask, { params: { id: executed.body.taskId } });
  const detail = TaskDetail.parse(task.body);
  expect(detail).toMatchObject({ status: 'success', creditCost: 1, agentName: 'Support' });
  const charge = Charge.parse(detail.charge);
  expect(charge).toMatchObject({ amount: 1, price: 1, memberId: user.id });

  const ledger =
    await client.call<{ sequence: number; kind: string; hash: string }[]>(listLedgerEntries);
  expect(ledger.body.map(({ kind }) => kind)).toEqual(['charged', 'reserved', 'granted']);
  expect(ledger.body[0]).toMatchObject({ sequence: charge.sequence, hash: charge.hash });
}
