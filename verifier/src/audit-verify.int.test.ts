import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { publishedKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import {
  archiveOf,
  sampleBundle,
  sampleKey,
  sampleOrganization,
} from '@tallyhand/service-kit/audit-bundle/testing/sample-bundle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('./audit-verify.main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'audit-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (name: string) => join(folder, name);
const { raw, pem, jwk, keyId } = publishedKey(sampleKey);

beforeAll(async () => {
  const whole = await sampleBundle({
    isExported: (sequence) => sequence % 2 === 0,
    earlierSize: 100,
  });
  writeFileSync(fileOf('whole.zip'), archiveOf(whole));
  const altered = String(whole['events.ndjson']).replace('=call-20', '=call-21');
  writeFileSync(
    fileOf('altered.zip'),
    archiveOf({ ...whole, 'events.ndjson': Buffer.from(altered) }),
  );
  writeFileSync(fileOf('earlier.zip'), archiveOf(await sampleBundle({ size: 100 })));
  writeFileSync(fileOf('garbage.zip'), Buffer.alloc(5_000, 'garbage'));
  writeFileSync(fileOf('key.pem'), pem);
  writeFileSync(fileOf('key.json'), JSON.stringify(jwk));
});

async function command(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  return { code, output: (await output).join('') };
}

describe('npm run audit:verify', () => {
  it.each([
    ['base64', () => raw],
    ['a PEM file', () => fileOf('key.pem')],
    ['a JWK file', () => fileOf('key.json')],
  ])('sums a whole export up, with the key as %s', async (_, key) => {
    const { code, output } = await command(fileOf('whole.zip'), '--key', key());
    expect([code, output.split('\n')[0]]).toEqual([0, 'The export is whole and unaltered.']);
    expect(output).toContain(`Signed with the key ${keyId}.\n`);
  });

  it('compares with an earlier export', async () => {
    const kept = ['--since', fileOf('earlier.zip'), '--organization', sampleOrganization];
    const { code, output } = await command(fileOf('whole.zip'), ...kept, '--at-least', '300');
    expect(code).toBe(0);
    expect(output).toContain('The log begins with the 100 rows of the earlier checkpoint.');
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      'an older log',
      ['earlier.zip', '--since', fileOf('whole.zip')],
      /^The log had 300 rows before/,
    ],
    [
      'no earlier export',
      ['whole.zip', '--since', fileOf('none.zip')],
      /^--since: There is no such/,
    ],
    ['a number that is none', ['whole.zip', '--at-least', 'x'], /^--at-least is no number/],
    [
      'an altered row',
      ['altered.zip', '--key', raw],
      /^Row 20 \(line 10 of events\.ndjson\) was altered\.\nevents\.ndjson is not the file/,
    ],
    [
      'another key',
      ['whole.zip', '--key', Buffer.alloc(32, 1).toString('base64')],
      new RegExp(`^manifest.sig is signed with the key ${keyId}, not with `),
    ],
    ['no archive', ['garbage.zip'], /^This is no ZIP file/],
    ['no file', ['none.zip'], /^There is no such file\.\n$/],
    ['no key', ['whole.zip', '--key', 'none'], /^--key is no Ed25519 public key/],
    ['two files', ['whole.zip', 'whole.zip'], /^Name one file\.\n\ntallyhand-audit-verify/],
    ['an option that is none', ['whole.zip', '--colour'], /^Unknown option '--colour'/],
  ])('reports %s, fails, and prints no stack trace', async (_, [name = '', ...args], expected) => {
    const { code, output } = await command(fileOf(name), ...args);
    expect(code).toBe(1);
    expect(output).toMatch(expected);
    expect(output).not.toMatch(/^\s+at /m);
  });
});
