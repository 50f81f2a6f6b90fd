import type { EngineConfig } from '@tallyhand/agent-runtime/choose-engine';
import type { Log } from '@tallyhand/service-kit/log';

export type RunnerConfig = {
  /** Where the command service takes internal calls. */
  readonly commandServiceUrl: string;
  readonly internalToken: string;
  /** The product's own address: sockets from its pages are let in. */
  readonly publicUrl: string;
  /** Where this runner listens; port 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  /** Where others reach it, when that is not host and port. */
  readonly advertisedUrl?: string | undefined;
  /** Sessions at once. */
  readonly sessionsMax: number;
  readonly model: EngineConfig;
  readonly allowPrivateHosts?: string | undefined;
  /** Where we are reached and where we listen, besides what is named above: no page comes there. */
  readonly ownOrigins: readonly string[];
  readonly log: Log;
};

/** How long things may take, in milliseconds. */
export type LoopTimes = {
  /** For one decision of the planner. */
  readonly planMs: number;
  /** For a whole step. */
  readonly stepMs: number;
  /** Without input of the person who took over. */
  readonly idleMs: number;
  /** After which typing or scrolling is a step of its own. */
  readonly quietMs: number;
};

export const LOOP_TIMES: LoopTimes = {
  planMs: 60_000,
  stepMs: 90_000,
  idleMs: 5 * 60_000,
  quietMs: 1_000,
};
