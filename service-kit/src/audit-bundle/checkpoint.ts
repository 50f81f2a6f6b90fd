import { Id } from '@tallyhand/contracts/kernel/ids';
import { z } from 'zod';
import { base64, type SignedText, signLines } from './signed-text.ts';
import type { AuditSigner } from './signer.ts';

const ORIGIN = 'tallyhand audit log';

/**
 * The state of an organization's audit log: its number of rows, and the root (base64) of their
 * tree.
 */
export const Checkpoint = z.strictObject({
  organizationId: Id,
  size: z.int().min(0),
  root: base64(32),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** Nothing in it changes from time to time: the same log has the same signed checkpoint. */
export const signCheckpoint = (signer: AuditSigner, checkpoint: Checkpoint): Promise<SignedText> =>
  signLines(signer, linesOf(checkpoint));

/** The content of a signed text as a checkpoint, or null. Does not check the signature. */
export function checkpointIn({ text }: Pick<SignedText, 'text'>): Checkpoint | null {
  const [, organizationId, size, root] = text.split('\n');
  const checkpoint = { organizationId, size: Number(size), root };
  const parsed = Checkpoint.safeParse(checkpoint);
  if (!parsed.success) return null;
  return `${linesOf(parsed.data).join('\n')}\n` === text ? parsed.data : null;
}

const linesOf = ({ organizationId, size, root }: Checkpoint) => [
  ORIGIN,
  organizationId,
  String(size),
  root,
];
