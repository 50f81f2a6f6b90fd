import { modelCreditsOf } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import { needAuditKey } from '@tallyhand/service-kit/audit-keys/key-settings';
import { modelPricesOf } from '@tallyhand/service-kit/model-prices';
import { runService } from '@tallyhand/service-kit/run-service';
import { trustProxyOf } from '@tallyhand/service-kit/settings';
import { observationSender } from './kernel/observation-sender.ts';
import { start } from './start.ts';

await runService({
  name: 'query-service',
  needed: [
    'PUBLIC_URL',
    'DATABASE_URL',
    'COMMAND_SERVICE_URL',
    'MASTER_KEY',
    'SIGNING_KEY',
    'INTERNAL_TOKEN',
  ],
  async start(settings, log) {
    const observer = observationSender({
      commandServiceUrl: settings.COMMAND_SERVICE_URL ?? '',
      internalToken: settings.INTERNAL_TOKEN ?? '',
      log,
    });
    const service = await start({
      publicUrl: new URL(settings.PUBLIC_URL ?? '').origin,
      trustProxy: trustProxyOf(settings),
      rateLimitScale: Number(settings.RATE_LIMIT_SCALE ?? 1),
      databaseUrl: settings.DATABASE_URL ?? '',
      masterKey: settings.MASTER_KEY ?? '',
      signingKey: settings.SIGNING_KEY ?? '',
      auditKey: needAuditKey(settings),
      modelCredits: modelCreditsOf(modelPricesOf(settings.MODEL_CREDITS ?? '')),
      payments: { stripeSecretKey: settings.STRIPE_SECRET_KEY },
      observe: observer.observe,
      record: observer.record,
      log,
    });
    return {
      handle: service.handle,
      isReady: service.isReady,
      metrics: service.metrics,
      async [Symbol.asyncDispose]() {
        await service[Symbol.asyncDispose]();
        await observer[Symbol.asyncDispose]();
      },
    };
  },
});
