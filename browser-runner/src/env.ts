import { jsonLog, type LogLevel } from '@tallyhand/service-kit/log';
import type { RunnerConfig } from './config.ts';

/** The settings of the browser runner, as the environment gives them. */
export const chromiumPath = (): string | undefined => process.env.CHROMIUM_PATH || undefined;

/** Of the environment, the part that a browser may see: no secret of ours is in it. */
export function browserEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}

/** Where browsers of this process, and what launches them, put their profiles. */
export function useTemporaryFolder(path: string): void {
  process.env.TMPDIR = path;
}

const SESSIONS_MAX = 4;

/** The settings of a runner that is a process of its own. */
export function configFromEnvironment(env: NodeJS.ProcessEnv = process.env): RunnerConfig {
  const need = (name: string) => {
    const value = env[name];
    if (!value) throw new Error(`The browser runner needs ${name}.`);
    return value;
  };
  return {
    commandServiceUrl: need('COMMAND_SERVICE_URL'),
    internalToken: need('INTERNAL_TOKEN'),
    publicUrl: need('PUBLIC_URL'),
    host: env.HOST || '127.0.0.1',
    port: Number(env.PORT || 0),
    advertisedUrl: env.BROWSER_RUNNER_URL || undefined,
    sessionsMax: Number(env.BROWSER_SESSIONS || SESSIONS_MAX),
    model: {
      openAiApiKey: env.OPENAI_API_KEY,
      openAiBaseUrl: env.OPENAI_BASE_URL,
      openAiModel: env.OPENAI_MODEL,
    },
    allowPrivateHosts: env.ALLOW_PRIVATE_HOSTS,
    ownOrigins: (env.OWN_ORIGINS ?? '').split(',').filter(Boolean),
    log: jsonLog('browser-runner', (env.LOG_LEVEL || 'warn') as LogLevel),
  };
}
