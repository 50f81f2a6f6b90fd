import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { freePort } from '@tallyhand/service-kit/free-port';
import { Child } from '@tallyhand/test-kit/child';
import type { ApplicationConfig } from '../../application/start.ts';
import { auditKeyEnvironment } from '../audit-keys.ts';

/** Longer than the proxy needs to notice, on a busy machine too. */
const DRAIN_SECONDS = '1';

/** Ends the process with this one, however this one ends. */
const guard = new URL('../../supervisor/child.ts', import.meta.url).href;

/** The programs of the scaled deployment, from the root of the project. */
const PROGRAMS = {
  'command-service': 'command-service/src/main.ts',
  worker: 'command-service/src/worker.main.ts',
  projector: 'projector/src/main.ts',
  'query-service': 'query-service/src/main.ts',
  web: 'stack/src/web.main.ts',
};

export type Kind = keyof typeof PROGRAMS;

/** One instance of a service as a separate process, always at the same addresses. */
export type ServiceProcess = AsyncDisposable & {
  readonly kind: Kind;
  readonly port: number;
  readonly internalPort: number;
  /** Resolves when it is ready; at once when it runs already. */
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it is gone, with its exit code. */
  stop(): Promise<number | null>;
};

export async function serviceProcess(
  kind: Kind,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const main = fileURLToPath(new URL(`../../../../${PROGRAMS[kind]}`, import.meta.url));
  const port = await freePort();
  const internalPort = await freePort();
  let child: Child | null = null;

  return {
    kind,
    port,
    internalPort,
    async start() {
      if (child?.isRunning) return;
      const { PATH = '', HOME = '' } = readEnvironment();
      child = new Child(['--import', guard, main], {
        env: {
          PATH,
          HOME,
          LOG_LEVEL: 'warn',
          DRAIN_SECONDS,
          ...env,
          PORT: String(port),
          INTERNAL_PORT: String(internalPort),
        },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      // Shown when a test fails.
      child.process.stdout?.on('data', (said) => console.log(`${kind}: ${said}`));
      await child.says(/^ready$/m);
    },
    async kill() {
      await child?.end('SIGKILL');
    },
    async stop() {
      return (await child?.end('SIGTERM')) ?? null;
    },
    async [Symbol.asyncDispose]() {
      await child?.end('SIGKILL');
    },
  };
}

/** Only the same process can receive these. */
const FOR_ONE_PROCESS = [
  'sweepTimes',
  'watchTimes',
  'mailboxTimes',
  'notificationTimes',
  'webhookTimes',
  'logStreamTimes',
  'wantBrowser',
  'localModelPorts',
] as const;

/** A configuration as settings for other processes; null where settings can't express it. */
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
    ...auditKeyEnvironment(config.auditKey),
    INTERNAL_TOKEN: config.internalToken,
    ALLOW_PRIVATE_HOSTS: config.allowPrivateHosts,
    MCP_SERVERS: config.localMcpServers && JSON.stringify(config.localMcpServers),
    MODEL_CREDITS: config.modelCredits?.models
      .map(({ model: name, credits }) => `${name}=${credits}`)
      .join(),
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
    TIMESTAMP_URL: config.timestampUrl,
    GOOGLE_API_BASE: config.googleApiBase,
    OTEL_EXPORTER_OTLP_ENDPOINT: tracing?.endpoint,
    OTEL_TRACES_SAMPLER_ARG: tracing && String(tracing.ratio),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}
