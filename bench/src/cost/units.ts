import {
  type Agent,
  createAgent,
  getAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { AT_LEAST_HEADER, POSITION_HEADER } from '@tallyhand/service-kit/http/cookies';
import { agentInput, registerOrganization } from '../../../test-kit/src/api-client.ts';
import { checkCredits, executeOne, newParty, type Party, TASKS_EACH } from '../execute.ts';
import { load } from '../load.ts';

/** Work whose cost is measured: what is prepared does not count, nor what is checked at the end. */
export type Unit = {
  readonly name: string;
  /** How many are done in a run, and by how many clients. */
  readonly count: number;
  readonly clients: number;
  prepare(url: string): Promise<Prepared>;
};
export type Prepared = {
  one(index: number): Promise<void>;
  check?(): Promise<void>;
  /** How many events all organizations of the run have; those of the preparation, too. */
  events(): Promise<number>;
};

const ORGANIZATIONS = 12;

function tasks(clients: number, organizations: number): Unit {
  return {
    name: `task, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
    count: organizations * TASKS_EACH,
    clients,
    async prepare(url) {
      const parties = await newParties(url, organizations);
      return {
        one: (index) => executeOne(turnOf(parties, index)),
        async check() {
          for (const party of parties) await checkCredits(party);
        },
        events: () => eventsOf(parties),
      };
    },
  };
}

const newParties = (url: string, organizations: number) =>
  Promise.all(Array.from({ length: organizations }, () => newParty(url)));

/** Organizations take turns. */
function turnOf(parties: readonly Party[], index: number): Party {
  const party = parties[index % parties.length];
  if (!party) throw new Error('There is no organization');
  return party;
}

async function eventsOf(parties: readonly Pick<Party, 'client'>[]): Promise<number> {
  const heads = parties.map(async ({ client }) => {
    const query = { limit: '1' };
    const { body } = await client.call<AuditEntry[]>(listAuditEntries, { query });
    return body[0]?.sequence ?? 0;
  });
  return (await Promise.all(heads)).reduce((sum, one) => sum + one, 0);
}

const chat: Unit = {
  name: 'chat answer, 16 clients',
  count: 600,
  clients: 16,
  async prepare(url) {
    const parties = await newParties(url, ORGANIZATIONS);
    return {
      async one(index) {
        const { client, agentId } = turnOf(parties, index);
        const message = 'Within how many days can items be returned?';
        const { status } = await client.call(chatWithAgent, {
          params: { id: agentId },
          body: { message },
        });
        if (status !== 200) throw new Error(`A reply answered ${status}`);
      },
      events: () => eventsOf(parties),
    };
  },
};

const writeAndRead: Unit = {
  name: 'POST with its GET, 16 clients',
  count: 1_500,
  clients: 16,
  async prepare(url) {
    const parties = await newParties(url, ORGANIZATIONS);
    return {
      async one(index) {
        const { client } = turnOf(parties, index);
        const { body, headers } = await client.call<Agent>(createAgent, { body: agentInput });
        const { status } = await client.call(getAgent, {
          params: { id: body.id },
          headers: { [AT_LEAST_HEADER]: headers.get(POSITION_HEADER) ?? '' },
        });
        if (status !== 200) throw new Error(`A read answered ${status}`);
      },
      events: () => eventsOf(parties),
    };
  },
};

const reading = (name: string, what: 'one' | 'list'): Unit => ({
  name,
  count: 5_000,
  clients: 16,
  async prepare(url) {
    const { client } = await registerOrganization(url);
    for (let made = 0; made < 20; made += 1) await client.call(createAgent, { body: agentInput });
    const { body: agents } = await client.call<Agent[]>(listAgents);
    return {
      async one(index) {
        const id = agents[index % agents.length]?.id ?? '';
        const read = await (what === 'one'
          ? client.call(getAgent, { params: { id } })
          : client.call(listAgents));
        if (read.status !== 200) throw new Error(`A read answered ${read.status}`);
      },
      events: () => eventsOf([{ client }]),
    };
  },
});

/** In this order; each warms the product up for itself by a first run that does not count. */
export const units: readonly Unit[] = [
  tasks(16, ORGANIZATIONS),
  tasks(1, 3),
  chat,
  writeAndRead,
  reading('GET of an agent, 16 clients', 'one'),
  reading('GET of 20 agents, 16 clients', 'list'),
];

/** Does the work once. */
export async function run({ clients, count }: Unit, { one }: Prepared): Promise<void> {
  await load(clients, count, one);
}
