import { createCipheriv } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { linkHash } from '../../crypto/hash-chain.ts';
import { derivedId } from '../../crypto/ids.ts';
import { sha256 } from '../../platform/node.ts';
import { zipLayout } from '../../zip.ts';
import { bundleWriter } from '../bundle-writer.ts';
import { signCheckpoint } from '../checkpoint.ts';
import { type KeyHistory, signKeyEntry } from '../key-history.ts';
import { auditKeyFrom } from '../keys.ts';
import {
  type ExportFormat,
  MANIFEST_FILE,
  PROOF_FILE,
  SIGNATURE_FILE,
  type TrialBalance,
} from '../manifest.ts';
import { Frontier } from '../merkle.ts';
import { type AuditRow, leafOf } from '../row.ts';
import { rowLines } from '../row-lines.ts';
import type { SignedText } from '../signed-text.ts';
import { type AuditSigner, localSigner } from '../signer.ts';

export const sampleSigner = localSigner(auditKeyFrom(Buffer.alloc(32, 5).toString('base64url')));
export const sampleKey = sampleSigner.publicKey;
export const sampleHistory: KeyHistory = await historyOf([sampleSigner]);
export const sampleOrganization = derivedId('organization');

/** The history of keys that replaced each other in this order, one a day. */
export async function historyOf(signers: readonly AuditSigner[]): Promise<KeyHistory> {
  return Promise.all(
    signers.map((signer, index) =>
      signKeyEntry(signer, signers[index - 1] ?? null, new Date(Date.UTC(2026, 10, 21 + index))),
    ),
  );
}

/** Texts that some format or spreadsheet misinterprets. */
const TEXTS = ['Ada', '=1+1', "'=1", 'a,b', 'say "hi"', 'two\r\nlines', '日本', '\u2028', '-5', ''];
const textAt = (sequence: number) => TEXTS[sequence % TEXTS.length] ?? '';

const isOfLedger = (sequence: number) => sequence % 6 === 5;

const GRANTED = 9;

function typeAt(sequence: number): string {
  if (isOfLedger(sequence)) return 'CreditsGranted';
  return sequence % 4 === 0 ? 'ArticleChanged' : 'UserSignedIn';
}

const bytesFrom = (purpose: string, sequence: number) => sha256(`sample ${purpose} ${sequence}`);

/** The key of the text of a row, base64url. */
export const sampleTextKey = (sequence: number): string =>
  bytesFrom('key', sequence).toString('base64url');

/** A text as it is stored in the event of a row, always alike. */
export function sampleCiphertext(sequence: number, text: string, hasOwnKey = true): string {
  const salt = bytesFrom('salt', sequence).subarray(0, 16);
  const commitment = sha256(bytesFrom('key', sequence));
  const kid = Buffer.concat([salt, commitment]).toString('base64url');
  const header = Buffer.from(
    JSON.stringify({ alg: 'dir', enc: 'A256GCM', ...(hasOwnKey ? { kid } : {}) }),
  );
  const iv = bytesFrom('iv', sequence).subarray(0, 12);
  const also = header.toString('base64url');
  const cipher = createCipheriv('aes-256-gcm', bytesFrom('key', sequence), iv);
  cipher.setAAD(Buffer.from(also));
  const content = Buffer.concat([cipher.update(text), cipher.final()]);
  const parts = [iv, content, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [also, '', ...parts].join('.');
}

/** Every seventh text is older than the keys of single texts. */
function sampleText(sequence: number) {
  const text = textAt(sequence + 1);
  if (sequence % 5 === 0) {
    return { stored: sampleCiphertext(sequence, text), revealed: 'erased' };
  }
  if (sequence % 7 === 0)
    return { stored: sampleCiphertext(sequence, text, false), revealed: text };
  const revealed = { text, key: sampleTextKey(sequence) };
  return { stored: sampleCiphertext(sequence, text), revealed };
}

export function sampleRow(sequence: number): AuditRow {
  const isByMember = sequence % 3 !== 0;
  const { stored, revealed } = sampleText(sequence);
  return {
    sequence,
    eventId: derivedId('event', String(sequence)),
    type: typeAt(sequence),
    schemaVersion: 1,
    stream: isOfLedger(sequence)
      ? `ledger-${sampleOrganization}`
      : `user-${derivedId('user', String(sequence % 7))}`,
    at: new Date(Date.UTC(2026, 10, 21) + sequence * 1_000).toISOString(),
    actor: isByMember
      ? { kind: 'member', id: derivedId('member'), signInId: derivedId('sign-in') }
      : { kind: 'worker', id: null, signInId: null },
    correlationId: `=call-${sequence}`,
    causationId: isByMember ? null : derivedId('cause', String(sequence)),
    commandId: derivedId('command', String(sequence)),
    data: {
      title: textAt(sequence),
      username: stored,
      tags: [1.5, null, { a: true }],
      ...(isOfLedger(sequence) && { amount: GRANTED }),
    },
    sourceAddress: isByMember ? `jwe.address.${sequence}` : null,
    revealed: { 'data.username': revealed },
  };
}

function balanceOf(rows: readonly AuditRow[]): TrialBalance {
  const links = rows.filter(({ sequence }) => isOfLedger(sequence));
  const hash = links.reduce((prev, row) => linkHash(prev, eventOf(row)), '');
  return {
    auditSequence: rows.length,
    accounts: [
      { account: 'available', debits: 0, credits: GRANTED * links.length },
      { account: 'promotion', debits: GRANTED * links.length, credits: 0 },
    ],
    head: links.length === 0 ? null : { sequence: links.length, hash },
  };
}

/** The event that a row is of, as the ledger's chain covers it. */
const eventOf = ({ eventId: id, type, data, actor, at, sourceAddress, ...row }: AuditRow) => ({
  id,
  type,
  data,
  envelope: {
    schemaVersion: row.schemaVersion,
    organizationId: sampleOrganization,
    actor: actor.id === null ? { kind: actor.kind } : actor,
    correlationId: row.correlationId,
    causationId: row.causationId,
    commandId: row.commandId,
    ...(sourceAddress === null ? {} : { sourceAddress }),
    recordedAt: at,
  },
});

/** The contents of a bundle's files by their names. */
export type Contents = Readonly<Record<string, Buffer>>;

export type Sample = {
  readonly size?: number;
  readonly isExported?: (sequence: number) => boolean;
  readonly format?: ExportFormat;
  readonly earlierSize?: number | null;
  /** The rows of a log with another history. */
  readonly rowOf?: (sequence: number) => AuditRow;
  readonly signer?: AuditSigner;
  readonly keyHistory?: KeyHistory;
};

/** A bundle of made-up rows: without wishes, all of some hundred. */
export async function sampleBundle({
  size = 300,
  isExported = () => true,
  format = 'ndjson',
  earlierSize = null,
  rowOf = sampleRow,
  signer = sampleSigner,
  keyHistory = sampleHistory,
}: Sample = {}): Promise<Contents> {
  const rows = Array.from({ length: size }, (_, at) => rowOf(at + 1));
  const exported = rows.filter((row) => isExported(row.sequence));
  const writer = bundleWriter({
    signer,
    keyHistory,
    organizationId: sampleOrganization,
    format,
    treeSize: size,
    filter: exported.length === rows.length ? {} : { kind: 'sample' },
    lastSequence: exported.at(-1)?.sequence ?? null,
    earlier: earlierSize === null ? null : await checkpointOf(rows.slice(0, earlierSize)),
  });
  for (const row of rows) writer.add(leafOf(row), isExported(row.sequence) ? row : null);
  const ledger = { opening: balanceOf([]), closing: balanceOf(rows) };
  const { rows: rowsText, proof, manifest, signature } = await writer.end(ledger);
  return {
    [MANIFEST_FILE]: manifest,
    [SIGNATURE_FILE]: signature,
    [rowLines[format].file]: rowsText,
    [PROOF_FILE]: proof,
  };
}

/** The signed checkpoint of a log of these rows. */
export function checkpointOf(
  rows: readonly AuditRow[],
  signer: AuditSigner = sampleSigner,
): Promise<SignedText> {
  const tree = new Frontier();
  for (const row of rows) tree.append(leafOf(row));
  const root = tree.root().toString('base64');
  return signCheckpoint(signer, { organizationId: sampleOrganization, size: rows.length, root });
}

/** An archive of any contents, with correct checksums, as an attacker would create it. */
export function archiveOf(contents: Contents): Buffer {
  const parts = Object.entries(contents).map(([name, bytes]) => ({
    name,
    bytes: bytes.length,
    crc32: crc32(bytes),
  }));
  const layout = zipLayout(parts);
  const segments = layout.readRange(0, layout.bytes);
  return Buffer.concat(
    segments.map((segment) =>
      segment.kind === 'bytes' ? segment.bytes : (contents[segment.name] ?? Buffer.of()),
    ),
  );
}
