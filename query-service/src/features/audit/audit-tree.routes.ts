import {
  type AuditCheckpoint,
  type AuditConsistency,
  getAuditCheckpoint,
  getAuditConsistency,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { AuditSignerUnavailable } from '@tallyhand/contracts/features/audit/audit-exports.refusals';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readAuditLeaves,
  readAuditTree,
} from '@tallyhand/read-models/features/audit/audit-exports';
import { signCheckpoint } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { Frontier, type FrontierState } from '@tallyhand/service-kit/audit-bundle/merkle';
import { consistencyProof } from '@tallyhand/service-kit/audit-bundle/merkle-proofs';
import { type AuditSigner, SignerUnavailable } from '@tallyhand/service-kit/audit-bundle/signer';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { type Call, route } from '../../kernel/route.ts';

/** Reads what the log has grown by since its last stored checkpoint. */
const CHECKPOINT_LIMIT = { max: 120, timeWindow: '1 hour' };
/** Reads the whole log. */
const CONSISTENCY_LIMIT = { max: 20, timeWindow: '1 hour' };

const LEAVES_AT_ONCE = 20_000;

type Reader = Pick<Call<unknown, unknown>, 'read'>;
type Tree = {
  readonly organizationId: string;
  /** Of the log now. */
  readonly size: number;
  readonly frontier: FrontierState | null;
};

export function auditTreeRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, getAuditCheckpoint, { limit: CHECKPOINT_LIMIT }, async (call) => {
    const stored = await storedTree(call);
    if (isRefusal(stored)) return stored;
    const tree = new Frontier(stored.frontier ?? undefined);
    for await (const leaves of leavesAfter(call, tree.size)) {
      if (isRefusal(leaves)) return leaves;
      for (const leaf of leaves) tree.append(leaf);
    }
    const { organizationId } = stored;
    return signed(context, async (signer) =>
      signCheckpoint(signer, { organizationId, size: tree.size, root: rootOf(tree) }),
    );
  });

  route(app, context, getAuditConsistency, { limit: CONSISTENCY_LIMIT }, async (call) => {
    const stored = await storedTree(call);
    if (isRefusal(stored)) return stored;
    const { from, to = stored.size } = call.query;
    if (to > stored.size) return beyond('to', stored.size);
    if (from > to) return beyond('from', to);
    const { organizationId } = stored;
    const tree = new Frontier();
    const proof = consistencyProof(from, to);
    let root = rootOf(tree);
    for await (const leaves of leavesAfter(call, 0, to)) {
      if (isRefusal(leaves)) return leaves;
      for (const leaf of leaves) {
        tree.append(leaf);
        proof.append(leaf);
        if (tree.size === from) root = rootOf(tree);
      }
    }
    const hashes = proof.proof().map((hash) => hash.toString('base64'));
    return signed(context, async (signer): Promise<AuditConsistency> => {
      const later = { organizationId, size: tree.size, root: rootOf(tree) };
      return {
        earlier: await signCheckpoint(signer, { ...later, size: from, root }),
        later: await signCheckpoint(signer, later),
        proof: hashes,
      };
    });
  });
}

/** What is signed, as the answer; a refusal while there is no signature to be had. */
async function signed(
  { auditSigning, settings }: QueryContext,
  answer: (signer: AuditSigner) => Promise<AuditCheckpoint | AuditConsistency>,
) {
  try {
    const { signer } = await auditSigning.current();
    return { kind: 'rows', body: JSON.stringify(await answer(signer)) } as const;
  } catch (error) {
    if (!(error instanceof SignerUnavailable)) throw error;
    settings.log.error('an audit checkpoint was not signed', errorFields(error));
    return AuditSignerUnavailable({});
  }
}

async function storedTree({ read }: Reader): Promise<Tree | Refusal> {
  const result = await read(readAuditTree, {});
  return isRefusal(result) ? result : (JSON.parse(result.body ?? '{}') as Tree);
}

/** The leaves after the first `after`, up to `end` or that of the log. */
async function* leavesAfter(
  { read }: Reader,
  after: number,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer[] | Refusal> {
  for (let at = after; at < end; ) {
    const max = Math.min(LEAVES_AT_ONCE, end - at);
    const result = await read(readAuditLeaves, { after: at, max });
    if (isRefusal(result)) return yield result;
    const { leaves } = JSON.parse(result.body ?? '{"leaves": []}') as { leaves: string[] };
    if (leaves.length > 0) yield leaves.map((leaf) => Buffer.from(leaf, 'base64'));
    if (leaves.length < max) return;
    at += leaves.length;
  }
}

const rootOf = (tree: Frontier) => tree.root().toString('base64');

function beyond(path: string, size: number): Refusal {
  const message = `${path} is beyond the last entry, which is ${size}`;
  return ValidationFailed({ summary: `${message}.` }, [{ path, message }]);
}
