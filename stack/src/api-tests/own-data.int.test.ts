import {
  createAgent,
  type Agent as Made,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ChatReply,
  chatWithAgent,
  deleteConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { downloadOwnData } from '@tallyhand/contracts/features/identity/account.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { changeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

type OwnData = {
  readonly account: { readonly email: string };
  readonly notificationPreferences: object;
  readonly twoFactor: object;
  readonly signIns: readonly { readonly isCurrent: boolean }[];
  readonly recentSignIns: readonly object[];
  readonly conversations: readonly {
    readonly id: string;
    readonly messages: readonly { readonly content: string }[];
  }[];
  readonly events: readonly {
    readonly sequence: number;
    readonly type: string;
    readonly stream: string;
    readonly actor: { readonly id: string | null };
    readonly data: Readonly<Record<string, unknown>>;
    readonly address: string | null;
  }[];
};

/** More than one read returns. */
const MANY = 105;

let product: TestProduct;
beforeAll(async () => {
  product = await sharedProduct();
});

async function dataOf(client: ApiClient) {
  const answer = await client.call<OwnData>(downloadOwnData);
  expect(answer.status).toBe(200);
  return answer.body;
}
const say = async (client: ApiClient, id: string, message: string) =>
  (await client.call<ChatReply>(chatWithAgent, { params: { id }, body: { message } })).body
    .conversationId;

describe('the personal data of a member', () => {
  it('is all that they entered, did and caused, in plain text, and nothing of others', async () => {
    const { client: admin, user: founder } = await registerOrganization(product.url);
    const { body: agent } = await admin.call<Made>(createAgent, { body: agentInput });
    const { client, user } = await joinAs(admin, product.url, 'Editor');
    const long = `What I asked ${'at length '.repeat(2_000)}end`;
    await client.call(executeTask, { params: { id: agent.id }, body: { input: long } });
    const kept = await say(client, agent.id, 'What I said');
    const gone = await say(client, agent.id, 'What I deleted');
    await client.call(deleteConversation, { params: { id: gone } });
    await say(admin, agent.id, 'What the founder said');

    const own = await dataOf(client);
    expect(own.account.email).toBe(user.email);
    expect(own.signIns.map(({ isCurrent }) => isCurrent)).toEqual([true]);
    expect(own.notificationPreferences).toMatchObject({ emailNotifications: true });
    expect(own.conversations.map(({ id }) => id)).toEqual([kept]);
    expect(own.conversations[0]?.messages[0]?.content).toBe('What I said');
    const sequences = own.events.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    const isOwn = ({ actor, stream }: OwnData['events'][number]) =>
      actor.id === user.id || stream === `user-${user.id}`;
    expect(own.events.filter((event) => !isOwn(event))).toEqual([]);
    const registered = own.events.find(({ type }) => type === 'UserRegistered');
    expect(registered?.data).toMatchObject({ username: user.username, email: user.email });
    await admin.call(changeMember, { params: { id: user.id }, body: { role: 'Viewer' } });
    const changed = (await dataOf(client)).events.at(-1);
    expect(changed).toMatchObject({
      type: 'MemberRoleChanged',
      address: null,
      actor: { signInId: null },
    });
    const asked = own.events.find(({ type }) => type === 'TaskRequested');
    expect(JSON.stringify(asked?.data)).toContain(long);
    expect(asked?.address).toMatch(/127\.0\.0\.1/);

    const text = JSON.stringify(own);
    expect([founder.email, 'What the founder said'].filter((one) => text.includes(one))).toEqual(
      [],
    );
    expect(text).toContain(user.email);
  });

  it('has each event once, however many there are', async () => {
    const { client } = await registerOrganization(product.url);
    for (let made = 0; made < MANY; made += 1) {
      await client.call(createAgent, { body: { ...agentInput, name: `Agent ${made}` } });
    }
    const { events } = await dataOf(client);
    const names = events.filter(({ type }) => type === 'AgentCreated').map(({ data }) => data.name);
    expect(names).toEqual(Array.from({ length: MANY }, (_, made) => `Agent ${made}`));
    expect(new Set(events.map(({ sequence }) => sequence)).size).toBe(events.length);
  });
});
