import { openSource } from '../platform/node.ts';
import type { SourceFile } from '../platform/platform.ts';
import { isAnchored, StampedCheckpoint } from './anchor.ts';
import { checkpointIn } from './checkpoint.ts';
import type { StampedHead, Stamps } from './stamps.ts';
import { fileLines } from './verify-contents.ts';
import { piecesOf } from './zip-reader.ts';

/** A line of the file is no time-stamp, or a false one. */
export class UnreadableStamps extends Error {}

type TimestampLibrary = typeof import('../timestamps/timestamps.ts');

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;

/**
 * Reads a file of time-stamps and verifies each line: the token of the authority, whose root is one
 * of the certificates in `authority` (PEM), and that the stamped text has the checkpoint. Throws UnreadableStamps.
 */
export async function readStamps(file: SourceFile, authority: string): Promise<Stamps> {
  // It is large, and few files need it.
  const library = await import('../timestamps/timestamps.ts');
  const trusted = certificatesIn(authority, library);
  const heads: StampedHead[] = [];
  try {
    using source = await openSource(file);
    for await (const { number, text } of fileLines(piecesOf(source))) {
      heads.push(await headOf(text ?? '', number, { ...library, trusted }));
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== undefined) throw new UnreadableStamps(`It can't be read (${code}).`);
    throw error;
  }
  if (heads.length === 0) throw new UnreadableStamps('It holds no time-stamps.');
  return { heads };
}

async function headOf(
  text: string,
  line: number,
  {
    trusted,
    verifyTimestamp,
    TimestampFault,
  }: TimestampLibrary & { readonly trusted: readonly Uint8Array[] },
): Promise<StampedHead> {
  const stamped = StampedCheckpoint.safeParse(jsonOf(text)).data;
  const checkpoint = stamped && checkpointIn(stamped.checkpoint);
  if (!stamped || !checkpoint) throw new UnreadableStamps(`Line ${line} is no time-stamp.`);
  if (!isAnchored(stamped)) {
    throw new UnreadableStamps(`Line ${line}: the stamped text does not have this checkpoint.`);
  }
  try {
    const token = Buffer.from(stamped.token, 'base64');
    return { checkpoint, ...(await verifyTimestamp(token, stamped.anchor, trusted)) };
  } catch (error) {
    if (!(error instanceof TimestampFault)) throw error;
    throw new UnreadableStamps(`Line ${line}: ${error.message}.`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function certificatesIn(pem: string, { isCertificate }: TimestampLibrary): Uint8Array[] {
  const found = [...pem.matchAll(CERTIFICATE)].map(([, text]) => Buffer.from(text ?? '', 'base64'));
  if (found.length > 0 && found.every(isCertificate)) return found;
  throw new UnreadableStamps('The certificates of the authority are no PEM.');
}
