import type { EngineConfig } from '@tallyhand/agent-runtime/choose-engine';
import type { Log } from '@tallyhand/service-kit/log';
import type { Settings } from '@tallyhand/service-kit/settings';

export type RunnerConfig = {
  /** The address of the command service's internal calls. */
  readonly commandServiceUrl: string;
  readonly internalToken: string;
  /** The product's own address: sockets from its pages are let in. */
  readonly publicUrl: string;
  /** This runner's listening address; port 0 uses a free one. */
  readonly host: string;
  readonly port: number;
  /** Where others reach it, when that is not host and port. */
  readonly advertisedUrl?: string | undefined;
  /** Sessions at once. */
  readonly sessionsMax: number;
  readonly model: EngineConfig;
  readonly allowPrivateHosts?: string | undefined;
  /** Further own addresses: no page may open them. */
  readonly ownOrigins: readonly string[];
  readonly log: Log;
};

const SESSIONS_MAX = 5;

/** Without these a runner can't start. */
export const RUNNER_NEEDS = ['COMMAND_SERVICE_URL', 'INTERNAL_TOKEN', 'PUBLIC_URL'] as const;

/** From settings that were checked. */
export function runnerConfig(settings: Settings, log: Log): RunnerConfig {
  return {
    commandServiceUrl: settings.COMMAND_SERVICE_URL ?? '',
    internalToken: settings.INTERNAL_TOKEN ?? '',
    publicUrl: settings.PUBLIC_URL ?? '',
    host: settings.HOST ?? '127.0.0.1',
    port: Number(settings.PORT ?? 0),
    advertisedUrl: settings.BROWSER_RUNNER_URL,
    sessionsMax: Number(settings.BROWSER_SESSIONS ?? SESSIONS_MAX),
    model: {
      openAiApiKey: settings.OPENAI_API_KEY,
      openAiBaseUrl: settings.OPENAI_BASE_URL,
      openAiModel: settings.OPENAI_MODEL,
    },
    allowPrivateHosts: settings.ALLOW_PRIVATE_HOSTS,
    ownOrigins: (settings.OWN_ORIGINS ?? '').split(',').filter(Boolean),
    log,
  };
}

/** How long things may take, in milliseconds. */
export type LoopTimes = {
  /** For one decision of the planner. */
  readonly planMs: number;
  /** For a whole step. */
  readonly stepMs: number;
  /** Time without input of the member who took over. */
  readonly idleMs: number;
  /** Between two questions whether a person has decided. */
  readonly askMs: number;
  /** After this pause, typing or scrolling becomes another step. */
  readonly quietMs: number;
};

export const LOOP_TIMES: LoopTimes = {
  planMs: 60_000,
  stepMs: 90_000,
  idleMs: 5 * 60_000,
  askMs: 1_000,
  quietMs: 1_000,
};
