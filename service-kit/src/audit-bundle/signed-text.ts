import { z } from 'zod';
import { isSignature } from '../platform/node.ts';
import type { PublicKey } from './public-key.ts';
import type { AuditSigner } from './signer.ts';

/** Bytes as base64, written in the one canonical way: no other text means the same bytes. */
export const base64 = (bytes: number) =>
  z
    .string()
    .refine((text) => base64Of(text) === text, 'Must be canonical base64')
    .refine((text) => Buffer.byteLength(text, 'base64') === bytes, `Must be ${bytes} bytes`);

const base64Of = (text: string) => Buffer.from(text, 'base64').toString('base64');

/** A text with its Ed25519 signature. Signing the same text again gives the same signature. */
export const SignedText = z.strictObject({
  text: z.string(),
  keyId: z.string(),
  signature: base64(64),
});
export type SignedText = z.infer<typeof SignedText>;

/** The first line names what is signed, so that no signature passes for another kind. */
export async function signLines(
  signer: AuditSigner,
  lines: readonly string[],
): Promise<SignedText> {
  const text = textOf(lines);
  const signature = await signer.sign(text);
  const { keyId } = signer.publicKey;
  return { text, keyId, signature: signature.toString('base64') };
}

/** The text that is signed for these lines. */
export const textOf = (lines: readonly string[]): string =>
  lines.map((line) => `${line}\n`).join('');

export type SignatureFault = 'other-key' | 'forged';

/** The fault of a signature that one of these keys has to be of, or null. */
export function signatureFault(
  keys: readonly PublicKey[],
  signed: SignedText,
): SignatureFault | null {
  const key = keys.find((each) => each.keyId === signed.keyId);
  if (!key) return 'other-key';
  return isSignedBy(key, signed.text, signed.signature) ? null : 'forged';
}

/** Whether the signature (base64) is one of the key over the text. */
export const isSignedBy = (key: PublicKey, text: string, signature: string): boolean =>
  isSignature(Buffer.from(signature, 'base64'), text, key.raw);
