import { startImporter } from '@tallyhand/agent-runtime/import/importer';
import { scriptPool } from '@tallyhand/agent-runtime/sandbox/script-thread';
import { KEY_CALLS_PER_MINUTE } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { SignerUnavailable } from '@tallyhand/service-kit/audit-bundle/signer';
import { auditKeySource } from '@tallyhand/service-kit/audit-keys/key-settings';
import { auditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { personKeys } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { checkSameStore } from '@tallyhand/service-kit/event-store/known-store';
import { credentialWatch } from '@tallyhand/service-kit/http/credential-watch';
import { sharedKeyCalls } from '@tallyhand/service-kit/http/shared-key-calls';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import type { PgBoss } from 'pg-boss';
import { keyUsesOf } from '../features/api-keys/api-keys.ts';
import { AuditorCalls } from '../features/audit/auditor-calls.ts';
import { RefusedCalls } from '../features/audit/refused-calls.ts';
import type { Sessions } from '../features/sessions/sessions.ts';
import { type TaskQueue, taskQueue } from '../features/tasks/task-queue.ts';
import type { CommandSettings, Kit } from '../kit/app.ts';
import { type CompletionSignals, openCompletionSignals } from '../kit/completion-signals.ts';
import { listenForErasures } from '../kit/destroy-keys.ts';
import { HeldBytes } from '../kit/held-bytes.ts';
import { postgresIdempotency } from '../kit/idempotency.ts';
import { openJobs } from '../kit/jobs.ts';
import { lastSeenOf } from '../kit/last-seen.ts';
import { mailerOf } from '../kit/mail/mailer.ts';
import { sharedQueues } from '../kit/queues.ts';
import { postgresSnapshots } from '../kit/stored-states.ts';
import { latestPosition, StreamStore } from '../kit/streams.ts';
import { postgresVault } from '../kit/vault.ts';
import { composeFeatures, type Features } from './features.ts';
import { composeSessions } from './work.ts';

const CONNECTIONS_MAX = 12;

export type ServiceConfig = CommandSettings & {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly masterKey: string;
  readonly log: Log;
};

/** The resources of the command service and its worker, which may share one process. */
export type OpenedKit = {
  readonly kit: Kit;
  readonly features: Features;
  readonly completions: CompletionSignals;
  readonly sessions: Sessions;
  readonly boss: PgBoss;
  readonly queue: TaskQueue;
  readonly url: string;
  /** Whether the database answers. */
  readonly isReady: () => Promise<boolean>;
} & AsyncDisposable;

export async function openKit(config: ServiceConfig): Promise<OpenedKit> {
  const { databaseUrl, eventStoreUrl, masterKey, log } = config;
  await using opened = new AsyncDisposableStack();
  const url = roleUrl(databaseUrl, masterKey, 'command');
  const pool = opened.adopt(openPool(url, CONNECTIONS_MAX), (p) => p.end());
  const eventLog = opened.adopt(openEventLog(eventStoreUrl), (e) => e.close());
  const isUpgraded = (await checkSameStore({ pool, eventLog })) === 'used';
  const signing = auditSigning({
    pool,
    source: auditKeySource(config.auditKey),
    beginning: { signingKey: config.signingKey, isUpgraded },
  });
  // The product starts without its signer too: what it cannot sign now is signed later.
  await signing.current().catch((error) => {
    if (!(error instanceof SignerUnavailable)) throw error;
    log.error('audit logs cannot be signed', errorFields(error));
  });
  const box = sealedBox(masterKey);
  const keys = personKeys(pool, box);
  opened.use(await listenForErasures(url, keys, log));
  const latest = latestPosition();
  const recordKeyUse = keyUsesOf({ pool, log });
  const calls = opened.use(
    await sharedKeyCalls({
      service: 'commands',
      pool,
      url,
      log,
      perMinute: KEY_CALLS_PER_MINUTE,
      scale: config.rateLimitScale,
      report: recordKeyUse,
    }),
  );
  const queues = sharedQueues();
  const readPosition = opened.use(await followReadModels({ url, log }));
  const { changes } = readPosition;
  const core: Omit<Kit, 'recordRefused' | 'recordAuditor'> = {
    settings: config,
    pool,
    box,
    personKeys: keys,
    auditSigning: signing,
    vault: postgresVault(pool, box, keys),
    idempotency: postgresIdempotency(pool, box),
    lastSeen: lastSeenOf(pool, log),
    keyCalls: calls,
    recordKeyUse,
    credentialWatch: opened.use(credentialWatch({ pool, log })),
    mail: mailerOf({ pool, box, settings: config, log }),
    readPosition,
    streams: new StreamStore({
      eventLog,
      log,
      snapshots: postgresSnapshots(pool),
      latest,
      changes,
    }),
    latest,
    queues,
    uploads: new HeldBytes(),
    scripts: opened.adopt(scriptPool(queues.scripts), (scripts) => scripts.dispose()),
    importer: opened.use(startImporter(queues.imports)),
    log,
  };
  const refusedCalls = opened.use(new RefusedCalls(core));
  const auditorCalls = opened.use(new AuditorCalls(core));
  const kit: Kit = {
    ...core,
    recordRefused: (call) => refusedCalls.record(call),
    recordAuditor: (call) => auditorCalls.record(call),
  };
  const completions = opened.use(await openCompletionSignals(url, pool, log));
  const { boss } = opened.use(await openJobs(url, log));
  const features = await composeFeatures(kit);
  opened.use(features.testPayments);
  const disposables = opened.move();
  return {
    kit,
    features,
    completions,
    sessions: composeSessions(kit, features, completions),
    boss,
    queue: taskQueue({ boss, pool, log }),
    url,
    isReady: async () => (await pool.query('select')).rowCount === 1,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}
