import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/keys';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';

const USAGE = `npm run audit:verify -- FILE [--key PUBLIC_KEY]
  checks an export of an audit log, offline; PUBLIC_KEY is the published key, or a file with it
  (PEM, JWK or base64)`;

function parse() {
  try {
    const options = { key: { type: 'string' } } as const;
    const { positionals, values } = parseArgs({ options, allowPositionals: true });
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new Error('Name one file.');
    return { file, key: values.key === undefined ? null : keyIn(values.key) };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function keyIn(given: string) {
  const key = readPublicKey(existsSync(given) ? readFileSync(given, 'utf8') : given);
  if (!key) throw new Error('--key is no Ed25519 public key, and no file with one.');
  return key;
}

try {
  const { file, key } = parse();
  const { lines, isWell } = await verifyBundle(file, key);
  console.log(lines.join('\n'));
  if (!isWell) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
