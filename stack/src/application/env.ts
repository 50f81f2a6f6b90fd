import { fileURLToPath } from 'node:url';
import type { TrustProxy } from '@tallyhand/service-kit/http/app';
import { jsonLog, type LogLevel } from '@tallyhand/service-kit/log';
import type { ApplicationConfig } from './start.ts';

/** The settings as the supervisor hands them on: checked already, secrets and addresses filled in. */
export function configFromEnvironment(env: NodeJS.ProcessEnv = process.env): ApplicationConfig {
  const need = (name: string) => {
    const value = env[name];
    if (!value) throw new Error(`The application needs ${name}; start it through the supervisor.`);
    return value;
  };
  // An empty setting means that there is none.
  const given = (name: string) => env[name]?.trim() || undefined;
  const databaseUrl = need('DATABASE_URL');
  return {
    host: need('HOST'),
    port: Number(need('PORT')),
    publicUrl: need('PUBLIC_URL'),
    trustProxy: trustProxy(env.TRUST_PROXY),
    rateLimitScale: Number(env.RATE_LIMIT_SCALE ?? 1),
    databaseUrl,
    migrateDatabaseUrl: env.MIGRATE_DATABASE_URL ?? databaseUrl,
    eventStoreUrl: need('EVENTSTORE_URL'),
    masterKey: need('MASTER_KEY'),
    signingKey: need('SIGNING_KEY'),
    allowPrivateHosts: env.ALLOW_PRIVATE_HOSTS,
    model: {
      openAiApiKey: env.OPENAI_API_KEY,
      openAiBaseUrl: env.OPENAI_BASE_URL,
      openAiModel: env.OPENAI_MODEL,
      openAiEmbeddingModel: env.OPENAI_EMBEDDING_MODEL,
    },
    payments: {
      stripeSecretKey: given('STRIPE_SECRET_KEY'),
      stripeWebhookSecret: given('STRIPE_WEBHOOK_SECRET'),
      stripeApiBase: given('STRIPE_API_BASE'),
    },
    mail: mailSettings(given('SMTP_URL'), given('MAIL_FROM')),
    supportEmail: given('SUPPORT_EMAIL'),
    googleApiBase: given('GOOGLE_API_BASE'),
    internalToken: given('INTERNAL_TOKEN'),
    internalPort: Number(given('INTERNAL_PORT') ?? 0),
    runnerAddress: () => given('BROWSER_RUNNER_URL') ?? null,
    webFolder: fileURLToPath(new URL('../../../web/dist/', import.meta.url)),
    log: jsonLog('application', (env.LOG_LEVEL ?? 'warn') as LogLevel),
  };
}

/** Both or neither: that was checked already. */
const mailSettings = (smtpUrl: string | undefined, from: string | undefined) =>
  smtpUrl && from ? { smtpUrl, from } : undefined;

function trustProxy(value: string | undefined): TrustProxy {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  return /^\d+$/.test(value) ? (_, hop) => hop < Number(value) : value;
}
