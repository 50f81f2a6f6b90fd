import { agentInput, playbookInput, toolInput } from '@tallyhand/test-kit/api-client';
import { unreachable } from './mailboxes.ts';

export type Json = Record<string, unknown>;

export const hook = { url: 'https://example.com/hook', events: ['TaskSucceeded'] };

/** A right body of each call that takes one, with every field that it may have. */
export const rightBodies: Readonly<Record<string, Json>> = {
  createAgent: { ...agentInput, isActive: true },
  changeAgent: { ...agentInput, isActive: true },
  assignResources: { articles: [], playbooks: [], tools: [] },
  createArticle: {
    title: 'Title',
    content: 'Ten characters',
    category: 'General',
    tags: ['a'],
    isPublic: false,
  },
  changeArticle: {
    title: 'Title',
    content: 'Ten characters',
    category: 'General',
    tags: ['a'],
    isPublic: false,
  },
  importArticle: { url: 'https://example.com/' },
  createPlaybook: { ...playbookInput, tags: ['a'], estimatedDuration: 30 },
  changePlaybook: { ...playbookInput, tags: ['a'], estimatedDuration: 30 },
  createTool: toolInput,
  changeTool: toolInput,
  restoreAgent: { version: 1 },
  restoreArticle: { version: 1 },
  restorePlaybook: { version: 1 },
  restoreTool: { version: 1 },
  testTool: { input: 'GET /' },
  chatWithAgent: { message: 'Hello', conversationId: crypto.randomUUID() },
  renameConversation: { title: 'Returns' },
  executeTask: { input: 'Hello', type: 'query' },
  startSession: { goal: 'Hello', context: 'For one person', maxSteps: 5 },
  registerUser: {
    email: 'new@example.com',
    username: 'Ada Lovelace',
    password: 'long enough',
    organizationName: 'Organization',
    invite: 'token',
  },
  signIn: { email: 'new@example.com', password: 'long enough', code: '123456' },
  changeProfile: {
    username: 'Ada Lovelace',
    email: 'new@example.com',
    currentPassword: 'long enough',
  },
  undoEmailChange: { token: 'token' },
  checkInvitation: { token: 'token' },
  requestDeviceLink: { email: 'new@example.com' },
  makeDeviceKnown: { token: 'token' },
  requestPasswordReset: { email: 'new@example.com' },
  resetPassword: { token: 'token', newPassword: 'long enough' },
  beginSecondFactor: { password: 'long enough' },
  confirmSecondFactor: { code: '123456' },
  erasePerson: { password: 'long enough' },
  removeSecondFactor: { password: 'long enough', code: '123456' },
  changePassword: { currentPassword: 'long enough', newPassword: 'long enough' },
  checkPassword: { password: 'long enough' },
  purchaseCredits: { credits: 100, amount: 49, testOutcome: 'success' },
  confirmPurchase: { paymentIntentId: crypto.randomUUID(), credits: 100 },
  actOnTestPayment: { action: 'authenticate' },
  setLimit: { kind: 'agent', id: crypto.randomUUID(), monthlyCredits: 5 },
  startAuditExport: { format: 'csv', filter: { kind: 'agent', q: 'returns' }, upTo: 1 },
  changeMember: { role: 'Editor' },
  createWebhook: { ...hook, description: 'Ours' },
  changeWebhook: { ...hook, description: 'Ours', isActive: true },
  createApiKey: { name: 'Nightly', role: 'Viewer', expiresAt: '2999-01-01T00:00:00Z' },
  markNotificationsRead: { ids: [crypto.randomUUID()] },
  changeNotificationPreferences: {
    emailNotifications: true,
    agentStatusUpdates: true,
    creditBalanceAlerts: true,
  },
  connectMailbox: unreachable(),
  testNewMailbox: unreachable(),
  issueInvitation: { email: 'new@example.com', role: 'Viewer', message: 'Welcome' },
  sendContactMessage: {
    name: 'Ada',
    email: 'ada@example.com',
    company: 'Harbour',
    message: 'Hello',
    fax: '',
  },
  openTicket: {
    name: 'Ada',
    email: 'ada@example.com',
    company: 'Harbour',
    subject: 'Question',
    message: 'Twenty characters or more',
    priority: 'low',
    category: 'billing',
    fax: '',
  },
};

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field of a body by its path, those inside others too. */
export function fieldsOf(body: Json, prefix: string[] = []): { path: string[]; value: unknown }[] {
  return Object.entries(body).flatMap(([key, value]) => {
    const path = [...prefix, key];
    return [{ path, value }, ...(isObject(value) ? fieldsOf(value, path) : [])];
  });
}

export function withField(
  body: Json,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Json {
  const inner = rest.length > 0 ? withField(body[key] as Json, rest, value) : value;
  return { ...body, [key]: inner };
}
