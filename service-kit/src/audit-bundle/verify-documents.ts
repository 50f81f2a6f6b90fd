import type { KeyObject } from 'node:crypto';
import { publishedKey, readPublicKey } from './keys.ts';
import {
  MANIFEST_FILE,
  Manifest,
  PROOF_FILE,
  SIGNATURE_FILE,
  signatureFile,
  signedLines,
} from './manifest.ts';
import { rowLines } from './row-lines.ts';
import { SignedText, signatureFault } from './signed-text.ts';
import type { OpenBundle } from './zip-reader.ts';

/** Far more than any manifest has. */
const DOCUMENT_BYTES_MAX = 1024 * 1024;

export type Documents = {
  readonly manifest: Manifest;
  /** The given key, otherwise the one that the manifest names. */
  readonly key: KeyObject;
  /** Whether the manifest is the signed one. */
  readonly isSigned: boolean;
};

/**
 * Reads a bundle's documents, and checks their signatures. Null if there is nothing to check
 * against.
 */
export async function readDocuments(
  bundle: OpenBundle,
  givenKey: KeyObject | null,
  faults: string[],
): Promise<Documents | null> {
  const text = await documentOf(bundle, MANIFEST_FILE, faults);
  const manifest = text && parsed(Manifest, text);
  if (text && !manifest) faults.push(`${MANIFEST_FILE} was altered: it is no manifest any more.`);
  if (!text || !manifest) return null;
  checkNames(bundle.names, manifest, faults);
  const key = givenKey ?? readPublicKey(manifest.publicKey);
  if (!key) {
    faults.push(`${MANIFEST_FILE} names a public key that is none.`);
    return null;
  }
  const before = faults.length;
  const signature = await documentOf(bundle, SIGNATURE_FILE, faults);
  if (signature) checkSignature(key, text, signature, faults);
  return { manifest, key, isSigned: faults.length === before };
}

function checkSignature(key: KeyObject, manifest: Buffer, text: Buffer, faults: string[]): void {
  const signed = parsed(SignedText, text);
  if (!signed || signatureFile(signed) !== text.toString()) {
    faults.push(`${SIGNATURE_FILE} was altered: it is no signature any more.`);
    return;
  }
  const fault = signatureFault(key, signed);
  const { keyId } = publishedKey(key);
  if (fault === 'other-key') {
    faults.push(`${SIGNATURE_FILE} is signed with the key ${signed.keyId}, not with ${keyId}.`);
  } else if (fault === 'forged') {
    faults.push(`The signature in ${SIGNATURE_FILE} is not one of the key ${keyId}.`);
  } else if (signed.text !== `${signedLines(manifest).join('\n')}\n`) {
    faults.push(`${MANIFEST_FILE} was altered: it is not the one that was signed.`);
  }
}

function checkNames(names: readonly string[], manifest: Manifest, faults: string[]): void {
  const files = [rowLines[manifest.format].file, PROOF_FILE];
  const described = manifest.files.map(({ name }) => name);
  if (described.join() !== files.join()) {
    faults.push(`${MANIFEST_FILE} has to describe ${files.join(' and ')}, and nothing else.`);
  }
  const wanted = [MANIFEST_FILE, SIGNATURE_FILE, ...files];
  for (const name of files.filter((file) => !names.includes(file))) {
    faults.push(`${name} is missing.`);
  }
  for (const [at, name] of names.entries()) {
    if (!wanted.includes(name)) faults.push(`${JSON.stringify(name)} does not belong here.`);
    else if (names.indexOf(name) !== at) faults.push(`${name} is there twice.`);
  }
}

async function documentOf(
  bundle: OpenBundle,
  name: string,
  faults: string[],
): Promise<Buffer | null> {
  if (!bundle.names.includes(name)) {
    faults.push(`${name} is missing.`);
    return null;
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bundle.read(name)) {
    bytes += piece.length;
    if (bytes > DOCUMENT_BYTES_MAX) {
      faults.push(`${name} was altered: it is far too long.`);
      return null;
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parsed<T>(
  schema: { safeParse(value: unknown): { success: boolean; data?: T } },
  text: Buffer,
): T | null {
  try {
    return schema.safeParse(JSON.parse(text.toString())).data ?? null;
  } catch {
    return null;
  }
}
