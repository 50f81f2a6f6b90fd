import { X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { TimestampFault, verifyTimestamp } from '../timestamps/timestamps.ts';
import { isAnchored, StampedCheckpoint } from './anchor.ts';
import { checkpointIn } from './checkpoint.ts';
import type { StampedHead, Stamps } from './stamps.ts';
import { fileLines } from './verify-contents.ts';

/** A line of the file is no time-stamp, or a false one. */
export class UnreadableStamps extends Error {}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a file of time-stamps and verifies each line: the token of the authority, whose root is one
 * of the certificates in `authority` (PEM), and that the stamped text has the checkpoint. Throws UnreadableStamps.
 */
export async function readStamps(file: string, authority: string): Promise<Stamps> {
  const trusted = certificatesIn(authority);
  const heads: StampedHead[] = [];
  try {
    for await (const { number, text } of fileLines(createReadStream(file))) {
      heads.push(await headOf(text ?? '', number, trusted));
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UnreadableStamps(`It can't be read (${code}).`);
    throw error;
  }
  if (heads.length === 0) throw new UnreadableStamps('It holds no time-stamps.');
  return { heads };
}

async function headOf(
  text: string,
  line: number,
  trusted: readonly Uint8Array[],
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

function certificatesIn(pem: string): Uint8Array[] {
  try {
    const found = pem.match(CERTIFICATE) ?? [];
    if (found.length > 0) return found.map((one) => new X509Certificate(one).raw);
  } catch {
    // Said below.
  }
  throw new UnreadableStamps('The certificates of the authority are no PEM.');
}
