import type { SourceFile } from '../platform/platform.ts';
import { EVIDENCE_FILES_MAX, EVIDENCE_INDEX, verifyEvidence } from './evidence.ts';
import type { Expected } from './expectations.ts';
import { MANIFEST_FILE } from './manifest.ts';
import type { TrustedKeys } from './trusted-keys.ts';
import { type Verification, verifyBundle } from './verify.ts';
import { openBundle, UnreadableBundle } from './zip-reader.ts';

/** The file is a pack, which can't be checked as was asked; `field` is what to change, if one. */
export class UnfitForPack extends Error {
  readonly field: 'key' | null;

  constructor(message: string, field: 'key' | null) {
    super(message);
    this.field = field;
  }
}

/** Checks an export of an audit log or an evidence pack, offline. Throws UnfitForPack. */
export async function verifyFile(
  file: SourceFile,
  trusted: TrustedKeys | null,
  expected: Expected = {},
): Promise<Verification> {
  if (!(await isEvidence(file))) return verifyBundle(file, trusted, expected);
  if (!trusted) {
    throw new UnfitForPack('An evidence pack names no key: give the published key.', 'key');
  }
  if (expected.since || expected.stamps || expected.atLeast !== undefined) {
    const why = 'An evidence pack is compared only with a key and an organization.';
    throw new UnfitForPack(why, null);
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
