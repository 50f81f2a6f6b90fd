import { modelCreditsOf } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import { needAuditKey } from '@tallyhand/service-kit/audit-keys/key-settings';
import { localMcpServersOf } from '@tallyhand/service-kit/local-mcp-servers';
import { modelPricesOf } from '@tallyhand/service-kit/model-prices';
import { type Settings, trustProxyOf } from '@tallyhand/service-kit/settings';
import type { ModelSettings } from './app/features.ts';
import type { CommandSettings } from './kit/app.ts';

/** Without these a command service or worker can't start. */
export const COMMAND_NEEDS = [
  'PUBLIC_URL',
  'DATABASE_URL',
  'EVENTSTORE_URL',
  'MASTER_KEY',
  'SIGNING_KEY',
  'INTERNAL_TOKEN',
] as const;

/** A command service also reads for MCP clients. */
export const COMMAND_SERVICE_NEEDS = [...COMMAND_NEEDS, 'QUERY_SERVICE_URL'] as const;

/** Which model answers; the built-in engine when none is named. */
export const modelOf = (settings: Settings): ModelSettings => ({
  openAiApiKey: settings.OPENAI_API_KEY,
  openAiBaseUrl: settings.OPENAI_BASE_URL,
  openAiModel: settings.OPENAI_MODEL,
  openAiEmbeddingModel: settings.OPENAI_EMBEDDING_MODEL,
});

/** From settings that were checked. */
export function commandConfig(settings: Settings) {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from } = settings;
  return {
    publicUrl: originOf(settings.PUBLIC_URL),
    trustProxy: trustProxyOf(settings),
    rateLimitScale: Number(settings.RATE_LIMIT_SCALE ?? 1),
    databaseUrl: settings.DATABASE_URL ?? '',
    eventStoreUrl: settings.EVENTSTORE_URL ?? '',
    masterKey: settings.MASTER_KEY ?? '',
    signingKey: settings.SIGNING_KEY ?? '',
    auditKey: needAuditKey(settings),
    allowPrivateHosts: settings.ALLOW_PRIVATE_HOSTS,
    model: modelOf(settings),
    localMcpServers: localMcpServersOf(settings.MCP_SERVERS ?? '') ?? {},
    modelCredits: modelCreditsOf(modelPricesOf(settings.MODEL_CREDITS ?? '')),
    payments: {
      stripeSecretKey: settings.STRIPE_SECRET_KEY,
      stripeWebhookSecret: settings.STRIPE_WEBHOOK_SECRET,
      stripeApiBase: settings.STRIPE_API_BASE,
    },
    // Both or neither: that was checked.
    mail: smtpUrl && from ? { smtpUrl, from } : undefined,
    supportEmail: settings.SUPPORT_EMAIL,
    googleApiBase: settings.GOOGLE_API_BASE,
    timestampUrl: settings.TIMESTAMP_URL,
    internalToken: settings.INTERNAL_TOKEN,
  } satisfies CommandSettings & Record<string, unknown>;
}

const originOf = (url = '') => (url ? new URL(url).origin : url);
