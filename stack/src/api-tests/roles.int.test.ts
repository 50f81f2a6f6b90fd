import { endpoints } from '@tallyhand/contracts/endpoints';
import { createAgent, deleteAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  confirmPurchase,
  purchaseCredits,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  createArticle,
  deleteArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { pauseMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { deleteConnection } from '@tallyhand/contracts/features/models/models.endpoints';
import {
  createPlaybook,
  deletePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { compareVariants } from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool, deleteTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  createWebhook,
  testWebhook,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { ROLES, type Role } from '@tallyhand/contracts/kernel/role';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  apiClient,
  keyClient,
  playbookInput,
  refusalCodeOf,
  registerOrganization,
  testPassword,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectionInput, embeddingModel, newConnection } from '../testing/connections.ts';
import { finishedExport } from '../testing/finished-export.ts';
import { newMailbox, unreachable } from '../testing/mailboxes.ts';
import { invite, joinAs, keysOfEachRole, membersOfEachRole, newKey } from '../testing/members.ts';
import { earlierOrganization, neededQueries } from '../testing/past-months.ts';
import { pastSession, waitingSession } from '../testing/past-sessions.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { byName, hook, modelEndpoint, rolesFor } from '../testing/right-bodies.ts';
import { type Call, each, of, roleSets } from '../testing/role-calls.ts';
import { waitingReply, waitingTask } from '../testing/shop.ts';

const { everyone, members, auditReaders, agentKeepers, articleKeepers, admins } = roleSets;
const offer = { credits: 100, amount: 49 };
const samePassword = { currentPassword: testPassword, newPassword: testPassword };
const noLimit = { kind: 'agent', id: crypto.randomUUID(), monthlyCredits: null };
const articleInput = { title: 'Title', content: 'Ten characters', category: 'General' };

let product: TestProduct;
let admin: ApiClient;
let own: Parameters<typeof waitingSession>[2];
let clients: Map<Role, ApiClient>;
let keys: Map<Role, ApiClient>;
/** Of another organization, which may do everything there. */
let foreignKey: ApiClient;
/** The embedding model. */
let chosen: object;
const comparing = { input: 'Hello', variants: [{}, { model: { connectionId: null } }] };
type Work = 'agent' | 'article' | 'task' | 'playbook' | 'tool' | 'connection' | 'session' | 'image';
type Other = 'approval' | 'comparison' | 'payment' | 'mailbox' | 'member' | 'webhook' | 'delivery';
/** Filled in before the tests. */
const made = {} as Record<Work | Other | 'export', string>;

beforeAll(async () => {
  product = await sharedProduct();
  const registered = await earlierOrganization(product);
  admin = registered.client;
  made.member = registered.user.id;
  clients = await membersOfEachRole(admin, product.url);
  keys = await keysOfEachRole(admin, product.url);
  const foreign = await registerOrganization(product.url);
  foreignKey = keyClient(product.url, (await newKey(foreign.client, 'Admin')).key);
  const { agent, article } = await agentWithArticle(admin);
  const params = { id: agent.id };
  const done = await admin.call<ExecutionResult>(executeTask, { params, body: { input: 'Hello' } });
  const task = done.body.taskId;
  const { id: userId, organization } = registered.user;
  own = { organizationId: organization.id, userId, agentId: agent.id };
  const { sessionId: session, image } = await pastSession(product.config, admin, own);
  Object.assign(made, { session, image, mailbox: await newMailbox(admin, agent.id) });
  const [playbook, tool, payment] = [await newPlaybook(), await newTool(), await newPayment()];
  Object.assign(made, { webhook: await newWebhook(), connection: await oneConnection() });
  const tested = await admin.call<{ id: string }>(testWebhook, { params: { id: made.webhook } });
  const sent = { params, body: comparing };
  const compared = await admin.call<{ comparisonId: string }>(compareVariants, sent);
  made.comparison = compared.body.comparisonId;
  made.delivery = tested.body.id;
  const embeddings = await embeddingModel(admin, 'meaning');
  chosen = { source: 'connection', connectionId: embeddings.connectionId };
  Object.assign(made, { agent: agent.id, article: article.id, task, payment, playbook, tool });
  return () => embeddings[Symbol.asyncDispose]();
});

const newId = async (endpoint: Endpoint, body: object) =>
  (await admin.call<{ id: string }>(endpoint, { body })).body.id;
const newAgent = () => newId(createAgent, agentInput);
const newArticle = () => newId(createArticle, articleInput);
const newPlaybook = () => newId(createPlaybook, playbookInput);
const newTool = () => newId(createTool, toolInput);
const newWebhook = () => newId(createWebhook, hook);
const newMember = async () => (await joinAs(admin, product.url, 'Viewer')).user.id;
async function newPayment() {
  const { body } = await admin.call<{ paymentIntentId: string }>(purchaseCredits, { body: offer });
  const confirmed = { paymentIntentId: body.paymentIntentId, credits: offer.credits };
  expect((await admin.call(confirmPurchase, { body: confirmed })).status).toBe(200);
  return body.paymentIntentId;
}
const after = (endpoint: Endpoint, make: () => Promise<string>) => async () => {
  const id = await make();
  await admin.call(endpoint, { params: { id } });
  return id;
};

const theAgent = () => made.agent;
const theMailbox = () => newMailbox(admin, made.agent);
const pausedMailbox = after(pauseMailbox, theMailbox);
const theArticle = () => made.article;
const thePlaybook = () => made.playbook;
const theTool = () => made.tool;
const theConnection = () => made.connection;
const oneConnection = async () => (await newConnection(admin)).id;
const theSession = () => made.session;
const theWebhook = () => made.webhook;
async function theExport() {
  made.export ||= await finishedExport(admin);
  return made.export;
}

const deciding = (name: string, waiting: () => ReturnType<typeof waitingTask>): Call => ({
  name,
  who: agentKeepers,
  async id() {
    const { id, approvalId } = await waiting();
    made.approval = approvalId;
    return id;
  },
  body: () => ({ approvalId: made.approval, decision: 'refused' }),
});

const input = 'Hello';
const messages = [{ role: 'user', content: input }];

const calls: readonly Call[] = [
  ...each(everyone, 'getCurrentUser', 'getSecondFactor', 'downloadOwnData'),
  ...each(everyone, 'listSignIns', 'listSignInHistory'),
  { name: 'changeProfile', who: everyone, body: { username: 'Another name' } },
  { name: 'changePassword', who: everyone, body: samePassword },
  ...each(everyone, 'getOrganization', 'listTools', 'endOtherSignIns'),
  ...each(members, 'listMembers', 'listApprovals', 'listDeletions', 'listConnections'),
  { name: 'changeMember', who: admins, id: newMember, body: { role: 'Editor' } },
  { name: 'removeMember', who: admins, id: newMember },
  { name: 'restoreMember', who: admins, id: after(removeMember, newMember) },
  ...each(everyone, 'listAgents', 'listArticles', 'listPlaybooks'),
  ...of(everyone, theAgent, 'getAgent', 'getAgentHistory'),
  ...of(members, theAgent, 'getAssignments', 'listConversations', 'getAgentRatings'),
  ...of(members, theAgent, 'listMailboxes', 'listComparisons', 'getOpenAiModel'),
  ...of(everyone, theArticle, 'getArticle', 'getArticleHistory'),
  ...of(everyone, thePlaybook, 'getPlaybook', 'getPlaybookHistory'),
  ...of(everyone, theTool, 'getTool', 'getToolHistory'),
  ...of(members, theConnection, 'getConnection', 'getConnectionHistory'),
  { name: 'listAgentSummaries', who: members, query: { ids: crypto.randomUUID() } },
  { name: 'createAgent', who: agentKeepers, body: agentInput },
  { name: 'changeAgent', who: members, id: theAgent, body: { isActive: true } },
  { name: 'changeAgent', who: agentKeepers, id: theAgent, body: { name: 'Another name' } },
  { name: 'changeAgent', who: agentKeepers, id: theAgent, body: { isActive: true, name: 'Both' } },
  { name: 'assignResources', who: agentKeepers, id: theAgent, body: { articles: [] } },
  { name: 'deleteAgent', who: agentKeepers, id: newAgent },
  { name: 'restoreAgent', who: agentKeepers, id: after(deleteAgent, newAgent) },
  { name: 'chatWithAgent', who: members, id: theAgent, body: { message: 'Hello' } },
  { name: 'connectMailbox', who: agentKeepers, id: theAgent, body: unreachable() },
  { name: 'testNewMailbox', who: agentKeepers, body: unreachable() },
  { name: 'testMailbox', who: agentKeepers, id: theMailbox },
  { name: 'pauseMailbox', who: agentKeepers, id: theMailbox },
  { name: 'resumeMailbox', who: agentKeepers, id: pausedMailbox },
  { name: 'disconnectMailbox', who: agentKeepers, id: theMailbox },
  ...of(members, () => made.mailbox, 'listMailboxMails'),
  { name: 'createArticle', who: articleKeepers, body: articleInput },
  { name: 'deleteArticle', who: articleKeepers, id: newArticle },
  { name: 'restoreArticle', who: articleKeepers, id: after(deleteArticle, newArticle) },
  { name: 'changeArticle', who: articleKeepers, id: theArticle, body: { title: 'Another' } },
  { name: 'createPlaybook', who: articleKeepers, body: playbookInput },
  { name: 'changePlaybook', who: articleKeepers, id: thePlaybook, body: { title: 'Another' } },
  { name: 'deletePlaybook', who: articleKeepers, id: newPlaybook },
  { name: 'restorePlaybook', who: articleKeepers, id: after(deletePlaybook, newPlaybook) },
  { name: 'createTool', who: agentKeepers, body: toolInput },
  { name: 'changeTool', who: agentKeepers, id: theTool, body: { name: 'Another' } },
  { name: 'deleteTool', who: agentKeepers, id: newTool },
  { name: 'testTool', who: agentKeepers, id: theTool, body: { input: 'GET /' } },
  { name: 'connectTool', who: agentKeepers, id: theTool },
  { name: 'authorizeTool', who: agentKeepers, id: theTool, status: 409 },
  { name: 'authorizedTool', who: agentKeepers, body: { state: 'one' }, status: 409 },
  { name: 'restoreTool', who: agentKeepers, id: after(deleteTool, newTool) },
  { name: 'createConnection', who: admins, body: connectionInput },
  { name: 'changeConnection', who: admins, id: theConnection, body: { name: 'Another' } },
  { name: 'deleteConnection', who: admins, id: oneConnection },
  { name: 'restoreConnection', who: admins, id: after(deleteConnection, oneConnection) },
  { name: 'testConnection', who: admins, id: theConnection, body: {} },
  { name: 'discoverModels', who: admins, id: theConnection },
  { name: 'listEndpointModels', who: admins, body: modelEndpoint },
  { name: 'executeTask', who: members, id: theAgent, body: { input: 'Hello' } },
  {
    name: 'executeTasks',
    who: members,
    body: () => ({ tasks: [{ agentId: made.agent, idempotencyKey: 'a', input: 'Hello' }] }),
  },
  { name: 'compareVariants', who: members, id: theAgent, body: comparing },
  deciding('decideApproval', () => waitingTask(admin)),
  deciding('decideReplyApproval', () => waitingReply(admin)),
  deciding('decideSessionApproval', () => waitingSession(product.config, admin, own)),
  { name: 'createChatCompletion', who: members, body: () => ({ model: made.agent, messages }) },
  { name: 'createOpenAiResponse', who: members, body: () => ({ model: made.agent, input }) },
  { name: 'createEmbeddings', who: members, body: { model: 'meaning', input: 'Hello' } },
  { name: 'getTask', who: members, id: () => made.task },
  { name: 'rateTask', who: members, id: () => made.task, body: { rating: 'up' } },
  ...each(members, 'getTaskStats', 'getOrganizationStats', 'listTasks', 'exportTasks'),
  ...each(members, 'search', 'listSessions', 'getImage', 'listPackages', 'listOpenAiModels'),
  { name: 'startSession', who: members, id: theAgent, body: { goal: 'Hello' } },
  ...of(members, () => made.comparison, 'getComparison'),
  ...of(members, theSession, 'getSession', 'getSessionSteps', 'exportSession'),
  ...each(auditReaders, 'listLedgerEntries', 'listLedgerGroups', 'exportLedger'),
  ...each(auditReaders, 'getTrialBalance', 'getVerification', 'startVerification'),
  ...each(admins, 'getUsage', 'getModelUsage', 'listLimits', 'getBillingSettings'),
  ...each(auditReaders, 'listStatements', 'getAuditPublishing', 'getLogStream', 'getRetention'),
  ...Object.entries(neededQueries).map(([name, query]) => ({ name, who: auditReaders, query })),
  { name: 'setLimit', who: admins, body: noLimit },
  ...each(members, 'getMeaningSearch', 'getChatBudget', 'getModelCredits', 'listAllMailboxes'),
  { name: 'setChatBudget', who: admins, body: { monthlyTokens: null } },
  { name: 'changeRetention', who: admins, body: { days: null } },
  { name: 'placeLegalHold', who: admins, body: { reason: 'Case 2026-114' } },
  { name: 'setMeaningSearch', who: admins, body: () => chosen },
  { name: 'purchaseCredits', who: admins, body: offer },
  {
    name: 'confirmPurchase',
    who: admins,
    body: () => ({ paymentIntentId: made.payment, credits: offer.credits }),
  },
  { name: 'getReceipt', who: admins, id: () => made.payment },
  { name: 'actOnTestPayment', who: admins, id: newPayment, body: { action: 'dispute' } },
  ...each(admins, 'listPayments', 'exportPayments'),
  ...each(admins, 'findLocalServers', 'liftLegalHold', 'endLogStream', 'listWebhooks'),
  ...each(members, 'listNotifications', 'countUnreadNotifications', 'getNotificationPreferences'),
  { name: 'markNotificationsRead', who: members, body: { all: true } },
  { name: 'changeNotificationPreferences', who: members, body: { agentStatusUpdates: true } },
  { name: 'getTaskHistory', who: members, id: () => made.task },
  { name: 'getMemberHistory', who: admins, id: () => made.member },
  ...each(admins, 'getOrganizationHistory', 'listRecordedEvents'),
  { name: 'startAuditExport', who: auditReaders, body: { format: 'csv' } },
  { name: 'changeAuditPublishing', who: admins, body: { every: null } },
  { name: 'setLogStream', who: admins, body: { kind: 'webhook', address: hook.url } },
  ...each(auditReaders, 'listAuditExports', 'listAuditKeys', 'getAuditCheckpoint'),
  ...each(auditReaders, 'getAuditCheck', 'downloadAuditTimestamps', 'listAuditEntries'),
  { name: 'getAuditExport', who: auditReaders, id: theExport },
  { name: 'downloadAuditExport', who: auditReaders, id: theExport },
  { name: 'getAuditConsistency', who: auditReaders, query: { from: '1' } },
  { name: 'createWebhook', who: admins, body: hook },
  { name: 'changeWebhook', who: admins, id: theWebhook, body: { description: 'Another' } },
  { name: 'rotateWebhookSecret', who: admins, id: theWebhook },
  { name: 'testWebhook', who: admins, id: theWebhook },
  { name: 'listDeliveries', who: admins, id: theWebhook },
  { name: 'redeliverWebhook', who: admins, id: () => made.delivery },
  { name: 'deleteWebhook', who: admins, id: newWebhook },
  { name: 'createApiKey', who: admins, body: { name: 'Another', role: 'Viewer' } },
  { name: 'revokeApiKey', who: admins, id: async () => (await newKey(admin, 'Viewer')).id },
  { name: 'issueInvitation', who: admins, body: { email: 'new.member@example.com' } },
  { name: 'revokeInvitation', who: admins, id: async () => (await invite(admin, 'Viewer')).id },
  { name: 'resendInvitation', who: admins, id: async () => (await invite(admin, 'Viewer')).id },
  ...each(admins, 'listInvitations', 'listOutbox', 'listTickets', 'listApiKeys'),
  ...['get', 'renew', 'revoke'].map((verb) => ({ name: `${verb}InvitationLink`, who: admins })),
];
/** Roles and arguments have separate tests. */
const ownCalls = [
  'endSignIn',
  'beginSecondFactor',
  'confirmSecondFactor',
  'removeSecondFactor',
  'erasePerson',
  ...endpoints.filter(({ path }) => path.startsWith('/api/attachments')).map(({ name }) => name),
  ...endpoints.filter(({ fileField }) => fileField).map(({ name }) => name),
  'sendReplyAgain',
  'cancelTask',
  'retryTask',
  'terminateSession',
  'takeOverSession',
  'handBackSession',
  'getConversation',
  'renameConversation',
  'deleteConversation',
  'regenerateReply',
  'stopReply',
  'rateReply',
  'streamChanges',
  'streamTask',
];

/** A personal account: no API key may call, whatever its role. */
const OF_A_PERSON = /^\/api\/(user|login|logout|register|notifications)/;

describe('a call about a personal account', () => {
  const personal = endpoints.filter(({ path }) => OF_A_PERSON.test(path));
  it('is refused to an API key', async () => {
    expect(personal).not.toHaveLength(0);
    for (const { name } of personal) {
      const params = { id: crypto.randomUUID() };
      const answer = await keys.get('Admin')?.call<Problem>(byName(name), { params, body: {} });
      expect([name, answer?.status, answer?.body.code]).toEqual([name, 403, 'key-not-allowed']);
    }
  });
});

describe('the table of roles', () => {
  it('is that of the reference of the API', () => {
    // Whether a member may pause an agent depends on the fields.
    const described = calls.filter(({ name }) => name !== 'changeAgent');
    const declared = described.map(({ name }) => [name, rolesFor(name) ?? everyone]);
    expect(declared).toEqual(described.map(({ name, who }) => [name, who]));
  });

  it('names every call and every role', () => {
    // These need no sign-in; their effects have separate tests.
    const publicCalls = endpoints.filter(({ isPublic }) => isPublic).map(({ name }) => name);
    const named = new Set([...calls.map(({ name }) => name), ...publicCalls, ...ownCalls]);
    expect([...named].sort()).toEqual(endpoints.map(({ name }) => name).sort());
    expect([...everyone]).toEqual([...ROLES]);
  });
});

const titled = calls.map((call) => {
  const fields = call.name === 'changeAgent' ? Object.keys(call.body ?? {}).join(' and ') : '';
  return {
    query: {},
    body: undefined,
    status: byName(call.name).status,
    ...call,
    title: `${call.name} ${fields}`.trim(),
  };
});

describe.each(sampleOf(titled, 4))(`$title (${sampleName()})`, ({ name, who, id, ...call }) => {
  const endpoint = byName(name);
  async function target() {
    const of = (await id?.()) ?? '';
    return { of, sent: typeof call.body === 'function' ? call.body() : call.body };
  }
  /** One for all who are refused: it stays as it is. */
  let untouched: ReturnType<typeof target> | undefined;

  async function ask(client: ApiClient, { of, sent }: Awaited<ReturnType<typeof target>>) {
    const params = { id: of, hash: made.image };
    const { status, body } = await client.call(endpoint, { params, body: sent, query: call.query });
    return { status, code: refusalCodeOf(body) };
  }
  const isAnswered = async (client: ApiClient) =>
    expect((await ask(client, await target())).status).toBe(call.status);
  async function isRefused(client: ApiClient, status: number, code: string) {
    untouched ??= target();
    expect(await ask(client, await untouched)).toEqual({ status, code });
  }

  it.each(everyone)('answers the role %s, and an API key of it, as they may', async (role) => {
    const client = clients.get(role) ?? expect.fail();
    if (who.includes(role)) await isAnswered(client);
    else await isRefused(client, 403, 'role-not-allowed');
    const key = keys.get(role) ?? expect.fail();
    const isReadOnly = role === 'Viewer' && endpoint.method !== 'GET';
    if (OF_A_PERSON.test(endpoint.path)) await isRefused(key, 403, 'key-not-allowed');
    else if (isReadOnly) await isRefused(key, 403, 'key-reads-only');
    else if (who.includes(role)) await isAnswered(key);
    else await isRefused(key, 403, 'role-not-allowed');
    expect(key.cookies.has('tallyhand')).toBe(false);
  });

  it('is refused to callers who are not signed in', async () => {
    const strangers = [apiClient(product.url), keyClient(product.url, `th_${'x'.repeat(43)}`)];
    for (const one of strangers) await isRefused(one, 401, 'not-signed-in');
  });

  if (!endpoint.path.includes('{')) return;
  it('finds nothing by an API key of another organization', async () => {
    await isRefused(foreignKey, 404, 'not-found');
  });
});
