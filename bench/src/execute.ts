import type { Organization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTaskStats,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { agentWithArticle, registerOrganization } from '../../stack/src/testing/api-client.ts';
import { type Load, load } from './load.ts';

const CLIENTS = 16;
const ORGANIZATIONS = 16;
const TASKS_EACH = 60;
const FREE_CREDITS = 100;

/** Tasks through the whole product with the built-in engine; every credit is counted afterwards. */
export async function executeLoad(url: string): Promise<Load> {
  const parties = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, async () => {
      const { client } = await registerOrganization(url);
      const { agent } = await agentWithArticle(client);
      return { client, agentId: agent.id };
    }),
  );
  const result = await load(CLIENTS, ORGANIZATIONS * TASKS_EACH, async (index) => {
    const party = parties[index % ORGANIZATIONS];
    const answer = await party?.client.call<ExecutionResult>(executeTask, {
      params: { id: party.agentId },
      body: { input: 'Within how many days can items be returned?' },
    });
    if (answer?.body.creditCost !== 1) throw new Error(`A task answered ${answer?.status}`);
  });
  for (const { client } of parties) {
    const { body: organization } = await client.call<Organization>(getOrganization);
    const { body: stats } = await client.call<TaskStats>(getTaskStats);
    const isRight =
      organization.creditBalance === FREE_CREDITS - TASKS_EACH && stats.success === TASKS_EACH;
    if (!isRight) throw new Error('The credits do not add up');
  }
  return result;
}
