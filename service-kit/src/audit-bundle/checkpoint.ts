import { Id } from '@tallyhand/contracts/kernel/ids';
import { z } from 'zod';
import { sha256Hex } from '../platform/node.ts';
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

const CHAIN = 'tallyhand audit chain';
const NO_LINK = '-';

/** The place of a stored checkpoint in the chain of its log. */
export type ChainLink = {
  readonly organizationId: string;
  /** From 1, without gaps. */
  readonly number: number;
  /** The link before it; null for the first. */
  readonly previous: Pick<SignedText, 'text'> | null;
  readonly checkpoint: Pick<SignedText, 'text'>;
};

/** Signs that a stored checkpoint follows the one before it, so that a removed one leaves a gap. */
export const signLink = (signer: AuditSigner, link: ChainLink): Promise<SignedText> =>
  signLines(signer, linkLines(link));

/** Whether a signed text is this link. Does not check the signature. */
export const isLink = ({ text }: Pick<SignedText, 'text'>, link: ChainLink): boolean =>
  text === `${linkLines(link).join('\n')}\n`;

const linkLines = ({ organizationId, number, previous, checkpoint }: ChainLink) => [
  CHAIN,
  organizationId,
  String(number),
  previous ? sha256Hex(previous.text) : NO_LINK,
  sha256Hex(checkpoint.text),
];
