import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '../../test-kit/src/api-client.ts';
import { type Load, load } from './load.ts';

const ORGANIZATIONS = 12;
/** All that an organization can pay for. */
export const TASKS_EACH = 100;
const TASKS_A_ROUND = ORGANIZATIONS * TASKS_EACH;
/** Of `executeLoad`, with those of the first round. */
export const TASKS_OF_LOAD = 2 * TASKS_A_ROUND;

export type Party = {
  readonly client: ApiClient;
  readonly agentId: string;
  readonly tasks: string[];
};

/**
 * Tasks through the whole product; every credit is counted afterwards. The first round is not
 * measured: code is slow until it has run for a while.
 */
export async function executeLoad(url: string, clients: number): Promise<Load> {
  await spendAll(url, clients);
  return spendAll(url, clients);
}

async function spendAll(url: string, clients: number): Promise<Load> {
  const parties = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => newParty(url)));
  const result = await load(clients, TASKS_A_ROUND, async (index) => {
    const party = parties[index % ORGANIZATIONS];
    if (party) await executeOne(party);
  });
  for (const party of parties) await checkCredits(party);
  return result;
}

export async function newParty(url: string): Promise<Party> {
  const { client } = await registerOrganization(url);
  const { agent } = await agentWithArticle(client);
  return { client, agentId: agent.id, tasks: [] };
}

export async function executeOne({ client, agentId, tasks }: Party) {
  const { status, body } = await client.call<ExecutionResult>(executeTask, {
    params: { id: agentId },
    body: { input: 'Within how many days can items be returned?' },
  });
  if (!body.success || body.creditCost !== 1) throw new Error(`A task answered ${status}`);
  tasks.push(body.taskId);
}

/** Every task charged once, nothing else charged, and the chain of the ledger unbroken. */
export async function checkCredits({ client, tasks }: Party) {
  const { body: organization } = await client.call<Organization>(getOrganization);
  const { body: newestFirst } = await client.call<LedgerEntry[]>(listLedgerEntries);
  const ledger = newestFirst.toReversed();
  const paidFor = ledger.flatMap(({ kind, work }) => (kind === 'charged' ? (work?.id ?? '') : []));
  const posted = ledger.reduce((sum, { postedChange }) => sum + postedChange, 0);
  const checks = {
    'each task is charged once': same(paidFor.toSorted(), tasks.toSorted()),
    'nothing is spent twice': new Set(paidFor).size === TASKS_EACH,
    'the balance is spent': organization.creditBalance === 0 && organization.reserved === 0,
    'the ledger adds up': posted === 0 && ledger.every(({ available }) => available >= 0),
    'the chain is unbroken': ledger.every(
      ({ prev }, at) => at === 0 || prev === ledger[at - 1]?.hash,
    ),
  };
  const broken = Object.entries(checks).find(([, holds]) => !holds);
  if (broken) throw new Error(`After the run it does not hold that ${broken[0]}`);
}

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((value, at) => value === b[at]);
