import { engineFor, plannerFor } from '@tallyhand/agent-runtime/choose-engine';
import { ONE_CREDIT } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import type { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { offlineEngine } from '@tallyhand/offline-engine/offline-engine';
import { offlinePlanner } from '@tallyhand/offline-engine/offline-planner';
import { countModelCall } from '@tallyhand/service-kit/metrics/model-calls';
import {
  type AgentFields,
  type AssignResources,
  agentStream,
} from '../features/agents/agent.decider.ts';
import {
  agentFinder,
  agentVersionFinder,
  type FindAgent,
  type FindAgentVersion,
} from '../features/agents/find-agent.ts';
import { keysEndedBy } from '../features/api-keys/api-keys.ts';
import { Attachments } from '../features/attachments/attachments.ts';
import { Credits } from '../features/credits/credits.ts';
import type { PaymentGateway } from '../features/credits/payment-gateway.ts';
import { Payments } from '../features/credits/payments.ts';
import { TestPayments } from '../features/credits/test-payments.ts';
import { AccountLinks } from '../features/identity/account-links.ts';
import { Accounts } from '../features/identity/accounts.ts';
import { EmailAddresses } from '../features/identity/email-addresses.ts';
import { EmailChanges } from '../features/identity/email-changes.ts';
import { Erasure } from '../features/identity/erasure.ts';
import { Registration } from '../features/identity/registration.ts';
import { type ArticleFields, articleStream } from '../features/knowledge/article.decider.ts';
import { Mailboxes } from '../features/mailboxes/mailboxes.ts';
import { type ConnectionFields, connectionStream } from '../features/models/connection.decider.ts';
import { ConnectionEndpoints } from '../features/models/connection-endpoints.ts';
import { EmbeddingModels } from '../features/models/embedding-models.ts';
import { type Engines, enginesFrom } from '../features/models/engines.ts';
import { LocalServers } from '../features/models/local-servers.ts';
import { ModelImages } from '../features/models/model-images.ts';
import { type WorkPrice, workPriceOf } from '../features/models/work-price.ts';
import { Organizations } from '../features/organizations/organizations.ts';
import { playbookStream } from '../features/playbooks/playbook.decider.ts';
import { OpenSessions } from '../features/sessions/open-sessions.ts';
import { Support } from '../features/support/support.ts';
import { Invitations } from '../features/team/invitations.ts';
import { type AgentTool, agentToolsOf, type ToolUse } from '../features/tools/agent-tools.ts';
import { Browsers } from '../features/tools/browser-tool.ts';
import { McpServers } from '../features/tools/mcp-tool.ts';
import { OpenTools } from '../features/tools/open-tools.ts';
import { toolStream } from '../features/tools/tool.decider.ts';
import type { Tools } from '../features/tools/tools.routes.ts';
import { Webhooks } from '../features/webhooks/webhooks.ts';
import type { Kit } from '../kit/app.ts';
import { VersionedObjects } from '../kit/versioned-objects.ts';

export type ModelSettings = Parameters<typeof engineFor>[0];

export type Features = {
  readonly credits: Credits;
  readonly gateway: PaymentGateway;
  /** Null with a real payment provider. */
  readonly testPayments: TestPayments | null;
  readonly payments: Payments;
  readonly organizations: Organizations;
  readonly invitations: Invitations;
  readonly registration: Registration;
  readonly accounts: Accounts;
  readonly emailChanges: EmailChanges;
  readonly erasure: Erasure;
  readonly accountLinks: AccountLinks;
  readonly webhooks: Webhooks;
  readonly agents: VersionedObjects<AgentFields, AssignResources>;
  readonly findAgent: FindAgent;
  readonly findAgentVersion: FindAgentVersion;
  readonly mailboxes: Mailboxes;
  readonly articles: VersionedObjects<ArticleFields>;
  readonly playbooks: VersionedObjects<PlaybookInput>;
  readonly tools: Tools;
  readonly connections: VersionedObjects<ConnectionFields>;
  readonly endpoints: ConnectionEndpoints;
  readonly localServers: LocalServers;
  readonly modelImages: ModelImages;
  readonly embeddingModels: EmbeddingModels;
  readonly engines: Engines;
  readonly priceOf: WorkPrice;
  readonly support: Support;
  readonly openTools: OpenTools;
  readonly attachments: Attachments;
  readonly agentTools: (
    ids: readonly string[],
    organizationId: string,
    workId: string,
    use?: ToolUse,
  ) => Promise<AgentTool[]>;
};

/** The features, wired to each other: the only place where they meet. */
export async function composeFeatures(kit: Kit): Promise<Features> {
  const agents = new VersionedObjects('agent', kit.streams.of(agentStream));
  const tools = new VersionedObjects('tool', kit.streams.of(toolStream));
  const findAgent = agentFinder(agents);
  const credits = new Credits(kit);
  const organizations = new Organizations(kit, {
    addresses: new EmailAddresses(kit),
    endKeys: keysEndedBy(kit),
  });
  const invitations = new Invitations(kit, organizations);
  const registration = new Registration(kit, { organizations, credits, invitations });
  const accounts = new Accounts(kit, { organizations, credits });
  const { gateway, testPayments } = await providerOf(kit);
  const openSessions = new OpenSessions(kit.pool);
  const connections = new VersionedObjects('connection', kit.streams.of(connectionStream));
  const localServers = new LocalServers(kit);
  const endpoints = new ConnectionEndpoints(kit, localServers);
  const modelImages = new ModelImages(kit);
  const priceOf = workPriceOf(kit.settings.modelCredits ?? ONE_CREDIT, connections);
  const openTools = new OpenTools({
    browsers: new Browsers(kit, (workId) => openSessions.addressByWork(workId)),
    mcpServers: new McpServers(kit),
  });
  return {
    credits,
    gateway,
    testPayments,
    payments: new Payments(kit, { gateway, credits }),
    organizations,
    invitations,
    registration,
    accounts,
    emailChanges: new EmailChanges(kit),
    erasure: new Erasure(kit, organizations),
    accountLinks: new AccountLinks(kit, registration, accounts),
    webhooks: new Webhooks(kit),
    agents,
    findAgent,
    findAgentVersion: agentVersionFinder(agents),
    mailboxes: new Mailboxes(kit, findAgent),
    articles: new VersionedObjects('article', kit.streams.of(articleStream)),
    playbooks: new VersionedObjects('playbook', kit.streams.of(playbookStream)),
    tools,
    connections,
    endpoints,
    localServers,
    modelImages,
    engines: enginesOf(kit, { connections, endpoints, modelImages, priceOf }),
    priceOf,
    embeddingModels: new EmbeddingModels(kit, {
      connections,
      endpoints,
      choiceOf: (organizationId, since) => organizations.embeddingOf(organizationId, since),
      onModelCall: countModelCall,
    }),
    support: new Support(kit),
    openTools,
    attachments: new Attachments(kit),
    agentTools: agentToolsOf(kit, tools, openTools),
  };
}

function enginesOf(
  { settings }: Kit,
  from: Pick<Features, 'connections' | 'endpoints' | 'modelImages' | 'priceOf'>,
): Engines {
  const builtIn = { engine: offlineEngine(), planner: offlinePlanner() };
  const model = settings.model ?? {};
  return enginesFrom({
    ...from,
    builtIn,
    standard: {
      engine: engineFor(model, builtIn.engine, countModelCall),
      planner: plannerFor(model, builtIn.planner, countModelCall),
    },
    onModelCall: countModelCall,
  });
}

/** Stripe if its key is set, otherwise the built-in provider. */
async function providerOf(kit: Kit): Promise<Pick<Features, 'gateway' | 'testPayments'>> {
  const { stripeSecretKey, stripeWebhookSecret, stripeApiBase } = kit.settings.payments ?? {};
  if (!stripeSecretKey) {
    const testPayments = new TestPayments(kit);
    return { gateway: testPayments, testPayments };
  }
  if (!stripeWebhookSecret) throw new Error('Stripe is used without the secret of its webhooks');
  const { stripeGateway } = await import('../features/credits/stripe-gateway.ts');
  const gateway = stripeGateway({
    secretKey: stripeSecretKey,
    webhookSecret: stripeWebhookSecret,
    ...(stripeApiBase ? { apiBase: stripeApiBase } : {}),
  });
  return { gateway, testPayments: null };
}
