import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { childEnvironment } from '@tallyhand/test-kit/child';
import { auditKeyEnvironment } from './audit-keys.ts';
import type { TestProduct } from './product.ts';

/** The connections of the operator's commands about events and projections. */
export function openOperatorAccess({ config }: TestProduct) {
  const { databaseUrl, masterKey, eventStoreUrl } = config;
  const pool = openPool(roleUrl(databaseUrl, masterKey, 'projector'), 1);
  const eventLog = openEventLog(eventStoreUrl);
  return {
    pool,
    eventLog,
    async [Symbol.asyncDispose]() {
      await eventLog.close();
      await pool.end();
    },
  };
}

/** Runs an operator's command as a process; returns its exit code and all that it printed. */
export const runOperator = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  runMain('operator.main.ts', env, ...args);

/** Runs a program of stack/src; returns its exit code and all that it printed. */
export async function runMain(file: string, env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const main = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: childEnvironment(env),
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  return { code, output: (await output).join('') };
}

type StoreSettings = Pick<
  TestProduct['config'],
  'databaseUrl' | 'eventStoreUrl' | 'masterKey' | 'signingKey' | 'auditKey'
>;

/** The settings with which a command finds the product's stores. */
export const storesOf = ({ config }: { readonly config: StoreSettings }): NodeJS.ProcessEnv => ({
  DATABASE_URL: config.databaseUrl,
  EVENTSTORE_URL: config.eventStoreUrl,
  MASTER_KEY: config.masterKey,
  SIGNING_KEY: config.signingKey,
  ...auditKeyEnvironment(config.auditKey),
});
