import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { apiDocument } from '../../contracts/src/api-document.ts';
import { environment } from '../../scripts/prepare.js';

/*
 * Redocly (`recommended`) and Spectral (`oas`) read the API document. Prints what they find, errors
 * and warnings alike, and then fails.
 */

/* Of a call, on average: generators and browsers read hundreds of them in a fraction of a second. */
const CALL_BYTES_MAX = 3_600;
const CALL_PACKED_BYTES_MAX = 375;

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'api-document-'));
const path = join(folder, 'openapi.json');
const document = apiDocument({
  version: '0.1.0',
  serverUrl: 'https://tallyhand.example',
  signInCookie: '__Host-tallyhand',
});
const text = JSON.stringify(document);
writeFileSync(path, text);
const ruleset = join(folder, 'spectral.json');
writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));

const redocly = ['lint', path, '--extends=recommended', '--format=json'];
const spectral = ['lint', path, '--ruleset', ruleset, '--format=json', '--quiet'];
const found = [
  ...report('redocly', redocly).problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    place: location[0]?.pointer ?? '',
  })),
  ...report('spectral', spectral).map(({ code, message, path: place }) => ({
    rule: code,
    message,
    place: place.join('/'),
  })),
];
rmSync(folder, { recursive: true });

for (const { rule, message, place } of found) console.log(`${rule}  ${place}\n  ${message}`);
const calls = Object.values(document.paths).flatMap(Object.keys).length;
const packed = gzipSync(text).length;
const [bytesMax, packedMax] = [calls * CALL_BYTES_MAX, calls * CALL_PACKED_BYTES_MAX];
const isLarge = text.length > bytesMax || packed > packedMax;
if (isLarge) {
  console.log(`${text.length} bytes, at most ${bytesMax}; packed ${packed}, at most ${packedMax}`);
}
process.exitCode = found.length > 0 || isLarge ? 1 : 0;

/** What the linter prints as JSON; some print a sentence after it. */
function report(tool, options) {
  const program = join(here, 'node_modules', '.bin', tool);
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...options], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...environment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const end = Math.max(stdout.lastIndexOf('\n}'), stdout.lastIndexOf(']'));
  try {
    return JSON.parse(stdout.slice(0, stdout[end] === ']' ? end + 1 : end + 2));
  } catch {
    throw new Error(`${tool} gave no report\n${stdout.slice(0, 2_000)}${stderr.slice(0, 2_000)}`);
  }
}
