import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { ModelSettings } from '@tallyhand/command-service/app/features';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import type { LogStreamTimes } from '@tallyhand/command-service/features/audit/stream-logs';
import type { SweepTimes } from '@tallyhand/command-service/features/credits/settle-reservations';
import type { MailboxTimes } from '@tallyhand/command-service/features/mailboxes/mailbox-list';
import type { NotificationMailTimes } from '@tallyhand/command-service/features/notifications/mail-notifications';
import type { WatchTimes } from '@tallyhand/command-service/features/sessions/watch-sessions';
import type { WebhookTimes } from '@tallyhand/command-service/features/webhooks/send-deliveries';
import type { CommandSettings, PaymentSettings } from '@tallyhand/command-service/kit/app';
import type { MailSettings } from '@tallyhand/command-service/kit/mail/smtp';
import { start as startCommandService } from '@tallyhand/command-service/start';
import { start as startWorker } from '@tallyhand/command-service/worker';
import { isMcpPath } from '@tallyhand/contracts/features/mcp/mcp-paths';
import { LIVE_PATH } from '@tallyhand/contracts/features/sessions/live.messages';
import { isCallPath } from '@tallyhand/contracts/web-paths';
import { start as startProjector } from '@tallyhand/projector/start';
import { start as startQueryService } from '@tallyhand/query-service/start';
import { type Disk, temporaryDisk, watchDisks } from '@tallyhand/service-kit/disk-space';
import type { TrustProxy } from '@tallyhand/service-kit/http/app';
import type { Reads } from '@tallyhand/service-kit/http/reads';
import { type Handler, listen } from '@tallyhand/service-kit/http/server';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import type { Log } from '@tallyhand/service-kit/log';
import { reachable } from '@tallyhand/service-kit/settings';
import { startTracing, type TracingSettings } from '@tallyhand/service-kit/tracing/start-tracing';
import { backupFolderOf } from '../backup/manifest.ts';
import { relayLiveViews } from './live-relay.ts';
import { migrate } from './migrate.ts';
import { serveWebAssets } from './web-assets.ts';

const INTERNAL_HOST = '127.0.0.1';

export type ApplicationConfig = {
  readonly host: string;
  /** 0 uses a free port. */
  readonly port: number;
  readonly publicUrl: string;
  readonly trustProxy: TrustProxy;
  readonly rateLimitScale: number;
  readonly databaseUrl: string;
  /** Makes roles, schemas and tables; may be the same as `databaseUrl`. */
  readonly migrateDatabaseUrl: string;
  readonly eventStoreUrl: string;
  /** For the projector, if it has a separate user. */
  readonly eventStoreReaderUrl?: string | undefined;
  readonly masterKey: string;
  readonly signingKey: string;
  /** Where the key is that signs audit logs. */
  readonly auditKey: CommandSettings['auditKey'];
  readonly allowPrivateHosts?: string | undefined;
  readonly model: ModelSettings;
  /** Replaced by tests. */
  readonly localModelPorts?: CommandSettings['localModelPorts'];
  readonly localMcpServers?: CommandSettings['localMcpServers'];
  /** What the operator asks for models; by default one credit for all. */
  readonly modelCredits?: CommandSettings['modelCredits'];
  readonly payments?: PaymentSettings;
  readonly mail?: MailSettings | undefined;
  /** Where messages and tickets are mailed to. */
  readonly supportEmail?: string | undefined;
  readonly timestampUrl?: string | undefined;
  /** Where weaknesses are reported to; by default the contact page. */
  readonly securityContact?: string | undefined;
  readonly communityUrl?: string | undefined;
  readonly webFolder: string;
  /** The folders of the stores on this machine; without them their disks are not monitored. */
  readonly dataDir?: string | undefined;
  /** The token of internal calls; without it none are accepted. */
  readonly internalToken?: string | undefined;
  /** The port of internal calls, on this machine only; 0 or none uses a free one. */
  readonly internalPort?: number;
  /** Where a browser runner listens, or will once it is started; null where there is none. */
  readonly runnerAddress?: (() => string | null) | undefined;
  /** Starts a browser runner, unless it runs already. */
  readonly wantBrowser?: (() => void) | undefined;
  /** Intervals of the reservation sweep; by default those of a worker. */
  readonly sweepTimes?: SweepTimes;
  /** Intervals of the session sweep; by default those of a worker. */
  readonly watchTimes?: WatchTimes;
  /** Intervals of mailing unread notifications; by default those of a worker. */
  readonly notificationTimes?: NotificationMailTimes;
  /** Intervals of mailbox polls; by default those of a worker. */
  readonly mailboxTimes?: MailboxTimes;
  /** Replaces Google's address. */
  readonly googleApiBase?: string | undefined;
  /** The time-out of testing a mailbox's connection; by default that of production. */
  readonly mailboxTestMsMax?: number;
  readonly sessionApprovalMs?: number;
  /** Replaced by tests. */
  readonly passwordCost?: CommandSettings['passwordCost'];
  /** Intervals of retrying webhooks; by default those of a worker. */
  readonly webhookTimes?: WebhookTimes;
  /** Intervals of streaming audit logs; by default those of a worker. */
  readonly logStreamTimes?: LogStreamTimes;
  /** The receiver of traces; without it there are none. */
  readonly tracing?: TracingSettings | undefined;
  readonly log: Log;
};

export type Application = AsyncDisposable & {
  readonly port: number;
  /** The address of internal calls. */
  readonly internalUrl: string;
};

/** Command service with its worker, projector, query service and web app in one process. */
export async function startApplication(config: ApplicationConfig): Promise<Application> {
  await migrate(config.migrateDatabaseUrl, config.masterKey);
  await using opening = new AsyncDisposableStack();
  opening.use(await startTracing(config.tracing, 'application', config.log));
  const opened = opening.use(await openKit(config));
  const eventStoreUrl = config.eventStoreReaderUrl ?? config.eventStoreUrl;
  opening.use(await startProjector({ ...config, eventStoreUrl }));
  opening.use(await startWorker(opened, config));
  const reads: Reads = (call) => query.reads(call);
  const command = opening.use(await startCommandService(opened, reads));
  const stored = async () => (config.dataDir ? await dataDisks(config.dataDir) : []);
  const disks = opening.use(
    await watchDisks(async () => [temporaryDisk(), ...(await stored())], config.log),
  );
  const query = opening.use(
    await startQueryService({
      ...config,
      disks: disks.spaces,
      runnerFigures: () => runnerFigures(config.runnerAddress?.() ?? null, config.internalToken),
      observe: (observation) => void command.observe(observation),
      record: async (observation) => command.observe(observation),
    }),
  );
  const web = opening.use(await serveWebAssets(config.webFolder, config.publicUrl, config));

  // Apart from the public port: these calls come from the product's own processes on this machine.
  const internal = opening.use(
    await listen(command.handleInternal, { port: config.internalPort ?? 0, host: INTERNAL_HOST }),
  );
  const { server, port } = opening.use(
    await listen(
      (request, response) =>
        chooseHandler(request, { command, query, web }).handle(request, response),
      config,
    ),
  );
  const { publicUrl, runnerAddress = () => null, wantBrowser = () => undefined } = config;
  opening.use(relayLiveViews(server, { publicUrl, runnerAddress, wantBrowser }));
  opened.features.testPayments?.sendTo(`http://${reachable(config.host)}:${port}`);
  const running = opening.move();
  const internalUrl = `http://${INTERNAL_HOST}:${internal.port}`;
  return { port, internalUrl, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const QUERY_PATHS: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/metrics/browser-runner',
]);

/** The reverse proxy of the scaled deployment: routes reads and commands to different services. */
function chooseHandler(
  { method, url = '/' }: IncomingMessage,
  { command, query, web }: Record<'command' | 'query' | 'web', Handler>,
): Handler {
  const isRead = method === 'GET' || method === 'HEAD';
  const path = url.split('?')[0] ?? '';
  if (!isRead || isMcpPath(path)) return command;
  // No pages of the web app on this port.
  if (path === '/internal' || path.startsWith('/internal/') || path === LIVE_PATH) return command;
  const isQuery = isCallPath(path) || QUERY_PATHS.has(path);
  return isQuery ? query : web;
}

/**
 * The data stored on this machine, each part possibly on its own mount. Long texts and exports of
 * audit logs are in the database; the backup's folder is that of the last one.
 */
async function dataDisks(dataDir: string): Promise<readonly Disk[]> {
  const postgres = join(dataDir, 'postgres');
  const moved = await readFile(join(postgres, 'location'), 'utf8').catch(() => '');
  const backup = await backupFolderOf(dataDir);
  return [
    { purpose: 'data', folder: dataDir },
    { purpose: 'event-store', folder: join(dataDir, 'event-store') },
    { purpose: 'database', folder: moved.trim() || postgres },
    ...(backup ? [{ purpose: 'backup', folder: backup }] : []),
  ];
}

const ANSWER_MS_MAX = 2_000;

/** The metrics of the local browser runner; empty while none runs. Never throws. */
async function runnerFigures(address: string | null, internalToken = ''): Promise<string> {
  if (!address) return '';
  try {
    const answer = await fetch(`${address}/metrics`, {
      headers: { authorization: bearer(internalToken) },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    return answer.ok ? await answer.text() : '';
  } catch {
    return '';
  }
}
