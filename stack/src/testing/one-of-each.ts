import { getAssignments, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { type ChatReply, chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  createPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { listSessions } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { listTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  getInvitationLink,
  listInvitations,
  listMembers,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool, listTools } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { createWebhook } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import {
  type ApiClient,
  agentWithArticle,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { newMailbox } from './mailboxes.ts';
import { invite, newKey } from './members.ts';
import { pastSession } from './past-sessions.ts';
import type { TestProduct } from './product.ts';
import { purchasesOf } from './purchases.ts';
import { hook } from './right-bodies.ts';

type Made = { readonly id: string };

const seen: readonly Endpoint[] = [
  getCurrentUser,
  getOrganization,
  listAgents,
  listArticles,
  listTasks,
  listMembers,
  listInvitations,
  getInvitationLink,
  listLedgerEntries,
  getAssignments,
  listPlaybooks,
  listTools,
  listSessions,
  listApiKeys,
];

export type OneOfEach = {
  /** The Admin of the organization. */
  readonly client: ApiClient;
  /** The id of each, by its feature. */
  readonly made: Readonly<Record<string, string>>;
  /** The id in the path of a call, that of something which is there. */
  existing(endpoint: Endpoint): { id: string };
  /** All that the organization has, and what it has paid; throws where it can't be read. */
  state(): Promise<unknown[]>;
};

/** An organization that has one of each thing that a call can be about. */
export async function oneOfEach({ url, config }: TestProduct): Promise<OneOfEach> {
  const { client, user } = await registerOrganization(url);
  const { agent, article } = await agentWithArticle(client);
  const invitation = await invite(client, 'Viewer');
  await client.call(renewInvitationLink);
  const hello = { params: { id: agent.id }, body: { message: 'Hello' } };
  const own = { organizationId: user.organization.id, userId: user.id, agentId: agent.id };
  const made: Record<string, string> = {
    identity: crypto.randomUUID(),
    agents: agent.id,
    tasks: agent.id,
    knowledge: article.id,
    team: invitation.id,
    webhooks: (await client.call<Made>(createWebhook, { body: hook })).body.id,
    mailboxes: await newMailbox(client, agent.id),
    'api-keys': (await newKey(client, 'Viewer')).id,
    playbooks: (await client.call<Made>(createPlaybook, { body: playbookInput })).body.id,
    chat: (await client.call<ChatReply>(chatWithAgent, hello)).body.conversationId,
    tools: (await client.call<Made>(createTool, { body: toolInput })).body.id,
    sessions: (await pastSession(config, client, own)).sessionId,
    credits: (await purchasesOf(client).buy('needs-authentication')).paymentIntentId,
  };
  return {
    client,
    made,
    existing({ feature, path }) {
      const kind = path.startsWith('/api/agents/') ? 'agents' : feature;
      return { id: made[kind] ?? '' };
    },
    async state() {
      const params = { id: agent.id };
      const answers = await Promise.all(seen.map((endpoint) => client.call(endpoint, { params })));
      const failed = answers.find(({ status }) => status !== 200);
      if (failed)
        throw new Error(`A read answered ${failed.status}: ${JSON.stringify(failed.body)}`);
      return answers.map(({ body }) => withoutWhen(body));
    },
  };
}

/** To be here is no change: when members and keys were last seen is left out. */
const withoutWhen = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      name === 'lastActive' || name === 'lastUsedAt' ? undefined : value,
    ),
  );
