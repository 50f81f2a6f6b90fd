import { sha256Hex } from '../platform/node.ts';
import { historyFaults, keysOf } from './key-history.ts';
import { SignedText, signatureFault, signLines, textOf } from './signed-text.ts';
import type { AuditSigner } from './signer.ts';
import { isHistory, type TrustedKeys } from './trusted-keys.ts';

const ORIGIN = 'tallyhand statement';

/** A statement of a month, as a file. */
export type StatementFile = {
  readonly organizationId: string;
  /** As 2026-10. */
  readonly month: string;
  /** The extension of the file. */
  readonly format: string;
  readonly content: Uint8Array;
};

const linesOf = ({ organizationId, month, format, content }: StatementFile) => [
  ORIGIN,
  organizationId,
  month,
  format,
  sha256Hex(content),
];

/** Signs a statement. Throws SignerUnavailable. */
export const signStatement = (signer: AuditSigner, file: StatementFile): Promise<SignedText> =>
  signLines(signer, linesOf(file));

/** What an auditor expects of a statement. */
export type StatementExpected = { readonly organizationId?: string | undefined };

/**
 * Checks a statement with its detached signature, the text of the file that the API answers. Of a key
 * history, any key may have signed it.
 */
export function verifyStatement(
  content: Uint8Array,
  signature: string,
  trusted: TrustedKeys,
  { organizationId: expected }: StatementExpected = {},
): { readonly lines: readonly string[]; readonly isWell: boolean } {
  const failed = (...lines: string[]) => ({ lines, isWell: false });
  const signed = signedTextIn(signature);
  if (!signed) return failed('The signature is not the file that Tallyhand answers.');
  const faults = isHistory(trusted) ? historyFaults(trusted, 'the key history that you gave') : [];
  if (faults.length > 0) return failed(...faults);
  const keys = isHistory(trusted) ? keysOf(trusted) : [trusted];
  const fault = signatureFault(keys, signed);
  if (fault === 'other-key') {
    const ids = keys.map(({ keyId }) => keyId).join(', ');
    return failed(`The signature is of the key ${signed.keyId}, and yours is ${ids}.`);
  }
  if (fault === 'forged') return failed(`The signature is not of the key ${signed.keyId}.`);
  const [origin, organizationId = '', month = '', format = ''] = signed.text.split('\n');
  if (origin !== ORIGIN) return failed('The signature is valid, but not of a statement.');
  if (signed.text !== textOf(linesOf({ organizationId, month, format, content }))) {
    return failed(`The file differs from the signed statement of ${month}.`);
  }
  if (expected !== undefined && expected !== organizationId) {
    return failed(`The statement is of organization ${organizationId}, not of ${expected}.`);
  }
  return {
    isWell: true,
    lines: [
      `The statement of ${month} of organization ${organizationId} (${format}) is unchanged.`,
      `Signed with the key ${signed.keyId}.`,
    ],
  };
}

function signedTextIn(text: string): SignedText | null {
  try {
    return SignedText.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
