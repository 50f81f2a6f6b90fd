import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  archiveOf,
  sampleBundle,
  sampleKey,
} from '@tallyhand/service-kit/audit-bundle/testing/sample-bundle';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarballOf } from '../../scripts/tarball.js';
import { systemNode } from './testing/packed-project.ts';

const folder = mkdtempSync(join(tmpdir(), 'packed-verifier-'));
const { file, bytes } = tarballOf('verifier');

beforeAll(async () => {
  const whole = await sampleBundle({ size: 60 });
  const forged = String(whole['events.ndjson']).replace('=call-20', '=call-21');
  writeFileSync(join(folder, file), bytes);
  writeFileSync(join(folder, 'whole.zip'), archiveOf(whole));
  writeFileSync(
    join(folder, 'forged.zip'),
    archiveOf({ ...whole, 'events.ndjson': Buffer.from(forged) }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** In a folder without packages, with the system's Node and without a registry. */
async function npx(...args: string[]) {
  const { PATH = '' } = readEnvironment();
  const child = spawn('npx', ['--yes', '--offline', `./${file}`, ...args], {
    cwd: folder,
    env: {
      PATH: `${dirname(systemNode())}${delimiter}${PATH}`,
      HOME: folder,
      npm_config_cache: join(folder, '.npm'),
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  const [out, errors] = await output;
  return { code, out, errors };
}

describe('the packed verifier', () => {
  it('is one file besides its licenses, and has no dependencies', async () => {
    const dist = new URL('../../verifier/dist', import.meta.url);
    expect(
      readdirSync(dist)
        .filter((name) => !name.startsWith('.'))
        .toSorted(),
    ).toEqual(['THIRD-PARTY-NOTICES.txt', 'tallyhand-audit-verify.js']);
  });

  it('passes a good export', async () => {
    const { code, out, errors } = await npx('whole.zip', '--key', sampleKey.raw);
    expect([code, errors]).toEqual([0, '']);
    expect(out).toMatch(/^The export is whole and unaltered\.\n/);
    expect(out).toContain(`Signed with the key ${sampleKey.keyId}.`);
  });

  it('names the row of a forged one', async () => {
    const { code, out } = await npx('forged.zip');
    expect(code).toBe(1);
    expect(out).toMatch(/^Row 20 \(line 20 of events\.ndjson\) was altered\.\n/);
  });

  it.each<[string, string[], RegExp]>([
    ['no file', [], /^Name one file\.\n\ntallyhand-audit-verify FILE /],
    ['an unknown option', ['whole.zip', '--colour'], /^Unknown option '--colour'/],
    ['a key that is none', ['whole.zip', '--key', 'none'], /^--key is no Ed25519 public key/],
    [
      'a certificate that is none',
      ['whole.zip', '--timestamps', 'whole.zip', '--timestamp-ca', 'whole.zip'],
      /^--timestamps: The certificates of the authority are no PEM/,
    ],
  ])('refuses %s, with its usage', async (_, args, expected) => {
    const { code, errors } = await npx(...args);
    expect(code).toBe(1);
    expect(errors).toMatch(expected);
    expect(errors).not.toMatch(/^\s+at /m);
  });
});
