import { checkpointIn } from './checkpoint.ts';
import { type EarlierHead, firstDifference } from './earlier-head.ts';
import type { Manifest } from './manifest.ts';
import { signatureFault } from './signed-text.ts';
import { type Stamps, stampFaults, stampSummary } from './stamps.ts';
import type { SigningKey } from './trusted-keys.ts';
import type { ContentsReport } from './verify-contents.ts';
import { type OpenBundle, openBundle } from './zip-reader.ts';

/** What an auditor knows from elsewhere, and an export has to agree with. */
export type Expected = {
  readonly organizationId?: string | undefined;
  /** The log has at least so many rows: an old export is not taken for a new one. */
  readonly atLeast?: number | undefined;
  /** The log still begins with the rows of this earlier export or checkpoint. */
  readonly since?: EarlierHead | undefined;
  /** The log has the rows that an authority has stamped. */
  readonly stamps?: Stamps | undefined;
};

/** The numbers of first rows whose root is compared. */
export const sizesOf = ({ since, stamps }: Expected): ReadonlySet<number> =>
  new Set([
    ...(since ? [since.checkpoint.size] : []),
    ...(stamps?.heads ?? []).map(({ checkpoint }) => checkpoint.size),
  ]);

type Found = Pick<ContentsReport, 'proof'> & {
  readonly manifest: Manifest;
  readonly signing: SigningKey;
};

/** What of this the export contradicts. */
export async function expectationFaults(
  bundle: OpenBundle,
  found: Found,
  { organizationId, atLeast, since, stamps }: Expected,
): Promise<string[]> {
  const { organization, treeSize } = found.manifest;
  const faults: string[] = [];
  if (organizationId !== undefined && organizationId !== organization.id) {
    faults.push(`The export is of organization ${organization.id}, not of ${organizationId}.`);
  }
  if (atLeast !== undefined && treeSize < atLeast) {
    faults.push(`The export is of ${treeSize} rows; at least ${atLeast} were expected.`);
  }
  if (since) faults.push(...(await sinceFaults(bundle, found, since)));
  if (stamps) faults.push(...stampFaults(stamps, found));
  return faults;
}

export const expectationSummary = ({ since, stamps }: Expected): string[] => [
  ...(since
    ? [`The log begins with the ${since.checkpoint.size} rows of the earlier checkpoint.`]
    : []),
  ...(stamps ? [stampSummary(stamps)] : []),
];

async function sinceFaults(
  bundle: OpenBundle,
  { manifest, signing: { key, keys }, proof }: Found,
  { checkpoint, signed, bundle: file }: EarlierHead,
): Promise<string[]> {
  const { organizationId, size, root } = checkpoint;
  if (signed && signatureFault([key, ...keys], signed) !== null) {
    return [`The earlier checkpoint that you gave is not signed with the key ${key.keyId}.`];
  }
  if (organizationId !== manifest.organization.id) {
    return [`The earlier checkpoint that you gave is of another organization, ${organizationId}.`];
  }
  if (size > manifest.treeSize) {
    return [
      `The log had ${size} rows before and has ${manifest.treeSize} here: rows were removed, or this export is the older one.`,
    ];
  }
  const named = manifest.earlier && checkpointIn(manifest.earlier.checkpoint);
  const found = proof.roots.get(size) ?? (named?.size === size ? named.root : null);
  if (found === null) {
    return [
      `The export leaves out rows around ${size}, so it can't be compared with the earlier checkpoint. Request one that continues from it.`,
    ];
  }
  if (found === root) return [];
  const rewritten = `The log was rewritten: its first ${size} rows are not those of the earlier checkpoint.`;
  if (!file) return [rewritten];
  using earlier = await openBundle(file);
  const place = await firstDifference(earlier, bundle, size);
  if (!place) return [rewritten];
  const { from, to } = place;
  const where = from === to ? `Row ${from} is the first` : `Rows ${from} to ${to} are the first`;
  return [rewritten, `${where} that differ${from === to ? 's' : ''}.`];
}
