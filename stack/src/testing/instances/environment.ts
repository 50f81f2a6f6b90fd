import type { ApplicationConfig } from '../../application/start.ts';

/** Those that only the same process can be given. */
const FOR_ONE_PROCESS = [
  'sweepTimes',
  'watchTimes',
  'mailboxTimes',
  'noticeTimes',
  'webhookTimes',
  'wantBrowser',
] as const;

/** A configuration as settings for other processes; null where some of it can't be told so. */
export function environmentOf(config: ApplicationConfig): Record<string, string> | null {
  if (FOR_ONE_PROCESS.some((name) => config[name] !== undefined)) return null;
  if (typeof config.trustProxy === 'function') return null;
  const { model, payments, mail, tracing } = config;
  const settings = {
    PUBLIC_URL: config.publicUrl,
    TRUST_PROXY: String(config.trustProxy),
    RATE_LIMIT_SCALE: String(config.rateLimitScale),
    DATABASE_URL: config.databaseUrl,
    EVENTSTORE_URL: config.eventStoreUrl,
    EVENTSTORE_READER_URL: config.eventStoreReaderUrl,
    MASTER_KEY: config.masterKey,
    SIGNING_KEY: config.signingKey,
    INTERNAL_TOKEN: config.internalToken,
    ALLOW_PRIVATE_HOSTS: config.allowPrivateHosts,
    OPENAI_API_KEY: model.openAiApiKey,
    OPENAI_BASE_URL: model.openAiBaseUrl,
    OPENAI_MODEL: model.openAiModel,
    OPENAI_EMBEDDING_MODEL: model.openAiEmbeddingModel,
    STRIPE_SECRET_KEY: payments?.stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: payments?.stripeWebhookSecret,
    STRIPE_API_BASE: payments?.stripeApiBase,
    SMTP_URL: mail?.smtpUrl,
    MAIL_FROM: mail?.from,
    SUPPORT_EMAIL: config.supportEmail,
    GOOGLE_API_BASE: config.googleApiBase,
    OTEL_EXPORTER_OTLP_ENDPOINT: tracing?.endpoint,
    OTEL_TRACES_SAMPLER_ARG: tracing && String(tracing.ratio),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}
