import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareJudges } from '../../../scripts/prepare.js';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SUITE = pathOf('../../../judges/mcp/node_modules/.bin/conformance');
const CLIENT = pathOf('../testing/mcp-conformance-client.main.ts');

/** Scenarios for what the client does not have: neither drafts nor extensions of the protocol. */
const NOT_OFFERED = [
  // The client answers no questions of a server.
  'elicitation-sep1034-client-defaults',
];
/**
 * Its metadata names another issuer than the address that it is read from, which RFC 8414 (3.3) forbids
 * and the client refuses.
 */
const FAILS = ['auth/2025-03-26-oauth-metadata-backcompat'];

let folder: string;
beforeAll(async () => {
  prepareJudges('mcp');
  folder = await mkdtemp(join(tmpdir(), 'mcp-client-judges-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the suite's program with this Node. */
const run = (...options: readonly string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [SUITE, ...options], { cwd: folder }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, output: out + err }),
    );
  });

describe('the conformance suite', () => {
  it('accepts how the client talks and signs in', async () => {
    const { output } = await run('list', '--client');
    const listed = [...output.matchAll(/^ *- (\S+) \[([^\]]+)\]$/gm)]
      .filter(([, , versions = '']) => /\d/.test(versions))
      .map(([, name = '']) => name);
    const scenarios = listed.filter((name) => !NOT_OFFERED.includes(name));
    expect(scenarios.length).toBeGreaterThan(15);
    const baseline = join(folder, 'baseline.yml');
    await writeFile(baseline, `client:\n${FAILS.map((one) => `  - ${one}\n`).join('')}`);
    const command = `${process.execPath} ${CLIENT}`;
    const judged: [string, unknown][] = [];
    for (const scenario of scenarios) {
      const options = ['--command', command, '--expected-failures', baseline];
      const { code } = await run('client', '--scenario', scenario, ...options);
      judged.push([scenario, code]);
    }
    expect(judged).toEqual(scenarios.map((scenario) => [scenario, 0]));
  });
});
