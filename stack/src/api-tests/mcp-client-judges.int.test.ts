import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { listen } from '@tallyhand/service-kit/http/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareJudges } from '../../../scripts/prepare.js';
import { playScenario, type Scenario } from '../testing/mcp-conformance-client.ts';

const PROGRAMS = fileURLToPath(new URL('../../../judges/mcp/node_modules/.bin/', import.meta.url));
const SUITE = join(PROGRAMS, 'conformance');

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
/** The suite plays these together, in one process. The others it plays one by one. */
const TOGETHER = ['auth', 'backcompat'];

/**
 * The suite starts this program for each scenario. It asks this process to play the scenario, and
 * fails if that failed.
 */
const PROGRAM = `import { request } from 'node:http';
import { text } from 'node:stream/consumers';
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context } = process.env;
const [, , player, baseUrl] = process.argv;
request(player, { method: 'POST' }, async (answer) => {
  process.stderr.write(await text(answer));
  process.exit(answer.statusCode === 204 ? 0 : 1);
}).end(JSON.stringify({ scenario, baseUrl, context: JSON.parse(context ?? '{}') }));
`;

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
    await writeFile(join(folder, 'client.mjs'), PROGRAM);
    await using player = await listen(
      async (request, response) => {
        const fault = await playScenario((await json(request)) as Scenario).then(
          () => null,
          (error: unknown) => inspect(error),
        );
        response.writeHead(fault === null ? 204 : 500).end(fault);
      },
      { host: '127.0.0.1', port: 0 },
    );
    const command = `${process.execPath} client.mjs http://127.0.0.1:${player.port}`;
    const judge = async (...which: readonly string[]) => {
      const options = ['--command', command, '--expected-failures', baseline];
      const { code, output } = await run('client', ...which, ...options);
      expect([which, code], output).toEqual([which, 0]);
      return output;
    };
    const judged: string[] = [];
    for (const suite of TOGETHER) {
      // The suite plays them at the same time, so each of them takes longer.
      const summary = await judge('--suite', suite, '--timeout', '120000');
      judged.push(...[...summary.matchAll(/^[✓✗] (\S+): /gm)].map(([, name = '']) => name));
    }
    for (const scenario of scenarios.filter((name) => !judged.includes(name))) {
      await judge('--scenario', scenario);
      judged.push(scenario);
    }
    expect(judged.toSorted()).toEqual(scenarios.toSorted());
    expect(judged.filter((name) => name.startsWith('auth/')).length).toBeGreaterThan(10);
  });
});
