import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TestProduct } from './product.ts';

/** Runs one of the commands in stack/src on the product's stores, as a process of its own. */
export async function runMain({ config }: TestProduct, file: string, ...args: string[]) {
  const { databaseUrl, eventStoreUrl, masterKey, signingKey } = config;
  const main = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      DATABASE_URL: databaseUrl,
      EVENTSTORE_URL: eventStoreUrl,
      MASTER_KEY: masterKey,
      SIGNING_KEY: signingKey,
    },
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  return { code, output: (await output).join('') };
}
