import { jsonLog } from '@tallyhand/service-kit/log';
import type { RunnerConfig } from '../config.ts';
import { type BrowserRunner, start } from '../start.ts';
import { type CommandPeer, TOKEN } from './command-peer.ts';
import { type FakeHost, fakeHost } from './fake-browser.ts';
import { type ScriptedPlanner, scriptedPlanner } from './scripted-planner.ts';

export const PUBLIC_URL = 'https://tallyhand.example';

export type TestRunner = AsyncDisposable & {
  readonly runner: BrowserRunner;
  readonly host: FakeHost;
  readonly planner: ScriptedPlanner;
};

/** A real runner at a command service of the test's, with a browser and a planner of the test's. */
export async function testRunner(
  peer: CommandPeer,
  planner: ScriptedPlanner = scriptedPlanner(),
  settings: Partial<RunnerConfig> = {},
): Promise<TestRunner> {
  const host = fakeHost();
  const config: RunnerConfig = {
    commandServiceUrl: peer.url,
    internalToken: TOKEN,
    publicUrl: PUBLIC_URL,
    host: '127.0.0.1',
    port: 0,
    sessionsMax: 4,
    model: {},
    ownOrigins: [],
    log: jsonLog('test', 'silent'),
    ...settings,
  };
  const runner = await start(config, { host, planner });
  return { runner, host, planner, [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose]() };
}
