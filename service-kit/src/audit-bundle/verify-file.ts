import type { SourceFile } from '../platform/platform.ts';
import { EVIDENCE_FILES_MAX, EVIDENCE_INDEX, verifyEvidence } from './evidence.ts';
import type { Expected } from './expectations.ts';
import { MANIFEST_FILE } from './manifest.ts';
import type { TrustedKeys } from './trusted-keys.ts';
import { type Verification, verifyBundle } from './verify.ts';
import { openBundle, UnreadableBundle } from './zip-reader.ts';

/** Checks an export of an audit log or an evidence pack, offline. */
export async function verifyFile(
  file: SourceFile,
  trusted: TrustedKeys | null,
  expected: Expected = {},
): Promise<Verification> {
  if (!(await isEvidence(file))) return verifyBundle(file, trusted, expected);
  const failed = (line: string): Verification => ({ isWell: false, lines: [line] });
  if (!trusted) return failed('An evidence pack names no key: give the published key.');
  if (expected.since || expected.stamps || expected.atLeast !== undefined) {
    return failed('An evidence pack is compared only with a key and an organization.');
  }
  return verifyEvidence(file, trusted, expected);
}

async function isEvidence(file: SourceFile): Promise<boolean> {
  try {
    using opened = await openBundle(file, EVIDENCE_FILES_MAX);
    return opened.names.includes(EVIDENCE_INDEX) && !opened.names.includes(MANIFEST_FILE);
  } catch (error) {
    if (error instanceof UnreadableBundle) return false;
    throw error;
  }
}
