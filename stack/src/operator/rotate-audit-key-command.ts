import { chownSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { writeWhole } from '@tallyhand/event-store/access/write-whole';
import { signKeyEntry } from '@tallyhand/service-kit/audit-bundle/key-history';
import {
  type AuditSigner,
  localSigner,
  readPrivateKey,
} from '@tallyhand/service-kit/audit-bundle/signer';
import {
  type AuditKeySettings,
  auditKeySource,
} from '@tallyhand/service-kit/audit-keys/key-settings';
import { keyFile, nextKeyFile } from '@tallyhand/service-kit/audit-keys/local-keys';
import { appendKey, readKeyHistory } from '@tallyhand/service-kit/audit-keys/stored-history';
import { transitKeys } from '@tallyhand/service-kit/audit-keys/transit-keys';
import type pg from 'pg';
import { makeAuditKey } from '../supervisor/secrets.ts';
import { OperatorError, type Outcome, parseCommand } from './command.ts';

const ROTATE_USAGE = `Replaces the key that signs audit logs. The old key signs the new one:
  npm run audit:rotate-key
      makes a new key, in its file or at its external signer
  npm run audit:rotate-key -- --from FILE
      with the old key in a file (PEM), to the key that the settings name now`;

/** Any number; other uses of advisory locks have others. */
const LOCK = 7_402_338;

const idOf = ({ publicKey }: AuditSigner) => publicKey.keyId;
const rawOf = ({ publicKey }: AuditSigner) => publicKey.raw;

/** Runs the command, one at a time in an installation. */
export async function runRotateAuditKeyCommand(
  args: readonly string[],
  { kit }: Pick<OpenedKit, 'kit'>,
): Promise<Outcome> {
  const { positionals, values } = parseCommand(args, { from: { type: 'string' } }, ROTATE_USAGE);
  if (positionals.length > 0) throw new OperatorError(ROTATE_USAGE);
  const client = await kit.pool.connect();
  try {
    const { rows } = await client.query<{ isFree: boolean }>(
      'select pg_try_advisory_lock($1) as "isFree"',
      [LOCK],
    );
    if (!rows[0]?.isFree) throw new OperatorError('Another rotation is running.');
    const { auditKey } = kit.settings;
    const lines =
      values.from === undefined
        ? await rotate(kit.pool, auditKey)
        : await replaceFrom(kit.pool, values.from, auditKey);
    return { lines, isWell: true };
  } finally {
    // The lock ends with the connection, but the server may notice its end later than the next rotation.
    await client.query('select pg_advisory_unlock_all()').catch(() => {});
    client.release(true);
  }
}

/** A new key in the place of the old one. */
async function rotate(pool: pg.Pool, key: AuditKeySettings): Promise<readonly string[]> {
  switch (key.kind) {
    case 'file':
      return rotateFile(pool, key.path);
    case 'transit':
      return rotateTransit(pool, key);
    case 'setting':
      throw new OperatorError(
        'AUDIT_KEY is a setting. Store the old key in a file, set AUDIT_KEY to a new one, and run this ' +
          `again with --from FILE. Then restart all processes.\n\n${ROTATE_USAGE}`,
      );
  }
}

/**
 * The next key is stored before it enters the history, and takes the place of the old one after. A
 * process signs with whichever of both is the newest in the history, so this can stop anywhere and
 * be repeated.
 */
async function rotateFile(pool: pg.Pool, path: string): Promise<readonly string[]> {
  const next = nextKeyFile(path);
  const newest = await newestOf(pool);
  const [current, begun] = await keyFile(path).signers();
  if (current && rawOf(current) === newest.publicKey) {
    if (!begun) writeBeside(path, next);
    await append(pool, current, await signerIn(next));
  } else if (!begun || rawOf(begun) !== newest.publicKey) {
    throw isNotNewest(path, newest.keyId);
  }
  const signer = await signerIn(next);
  renameSync(next, path);
  return [
    `The key ${idOf(signer)} in ${path} now signs audit logs.`,
    'Copy the file to the other machines, and take a backup.',
  ];
}

/** Readable for the account that can read the key, even if another one runs the command. */
function writeBeside(path: string, next: string): void {
  try {
    writeWhole(next, makeAuditKey());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `${next} can't be written (${code}). Make the new key elsewhere, and use --from.\n\n${ROTATE_USAGE}`,
    );
  }
  const { uid, gid } = statSync(path);
  if (statSync(next).uid !== uid) chownSync(next, uid, gid);
}

/** A version that the operator has made at the signer is used, and otherwise a new one. */
async function rotateTransit(
  pool: pg.Pool,
  settings: Extract<AuditKeySettings, { kind: 'transit' }>,
): Promise<readonly string[]> {
  const keys = transitKeys(settings);
  const newest = await newestOf(pool);
  let signers = await keys.signers();
  if (signers[0] && rawOf(signers[0]) === newest.publicKey) {
    await keys.rotate();
    signers = await keys.signers();
  }
  const [next] = signers;
  const previous = signers.find((each) => rawOf(each) === newest.publicKey);
  if (!next || !previous || previous === next) throw isNotNewest(settings.name, newest.keyId);
  await append(pool, previous, next);
  return [`The key ${idOf(next)}, a new version of ${settings.name}, now signs audit logs.`];
}

/** The key of the settings in the place of one that they don't name any more. */
async function replaceFrom(
  pool: pg.Pool,
  from: string,
  key: AuditKeySettings,
): Promise<readonly string[]> {
  const newest = await newestOf(pool);
  const previous = await signerIn(from);
  const [next] = await auditKeySource(key).signers();
  if (!next) throw new OperatorError('The settings name no audit key.');
  const done = `The key ${idOf(next)} of the settings follows on ${idOf(previous)}.`;
  if (rawOf(next) === newest.publicKey) return [`${done} It already did.`];
  if (rawOf(previous) !== newest.publicKey) throw isNotNewest(from, newest.keyId);
  await append(pool, previous, next);
  return [done, 'Restart all processes with the new settings.'];
}

async function newestOf(pool: pg.Pool) {
  const newest = (await readKeyHistory(pool)).at(-1);
  if (newest) return newest;
  throw new OperatorError('The key history has not begun. Start the product once.');
}

async function append(pool: pg.Pool, previous: AuditSigner, next: AuditSigner): Promise<void> {
  const history = await readKeyHistory(pool);
  const since = new Date(Math.max(Date.now(), Date.parse(history.at(-1)?.since ?? '')));
  const entry = await signKeyEntry(next, previous, since);
  if (await appendKey(pool, history.length, entry)) return;
  throw new OperatorError(
    `The key ${entry.keyId} is in the history already, or another came first.`,
  );
}

async function signerIn(path: string): Promise<AuditSigner> {
  const key = existsSync(path) ? readPrivateKey(readFileSync(path, 'utf8')) : null;
  if (key) return localSigner(key);
  throw new OperatorError(`${path} holds no Ed25519 private key (PEM, PKCS #8).`);
}

const isNotNewest = (where: string, newestId: string) =>
  new OperatorError(`${where} does not hold the newest key of the history, ${newestId}.`);
