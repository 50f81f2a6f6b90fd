import { type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { publishedKey } from './keys.ts';

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
export function signLines(key: KeyObject, lines: readonly string[]): SignedText {
  const text = lines.map((line) => `${line}\n`).join('');
  return {
    text,
    keyId: publishedKey(key).keyId,
    signature: sign(null, Buffer.from(text), key).toString('base64'),
  };
}

export type SignatureFault = 'other-key' | 'forged';

/** The fault of the signature, or null. */
export function signatureFault(key: KeyObject, signed: SignedText): SignatureFault | null {
  if (signed.keyId !== publishedKey(key).keyId) return 'other-key';
  const signature = Buffer.from(signed.signature, 'base64');
  return verify(null, Buffer.from(signed.text), key, signature) ? null : 'forged';
}
