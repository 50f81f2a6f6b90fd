import { ReadableStream } from 'node:stream/web';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuditCheckpoint,
  type AuditConsistency,
  downloadAuditTimestamps,
  getAuditCheck,
  getAuditCheckpoint,
  getAuditConsistency,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import {
  AuditLogDiffers,
  AuditSignerUnavailable,
} from '@tallyhand/contracts/features/audit/audit-exports.refusals';
import { ReadModelsBehind, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readAuditCheck,
  readAuditLeaves,
  readAuditTimestamps,
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

const TREE_WAIT_MS = 5_000;
const LOOK_MS = 50;

const STAMPS_AT_ONCE = 500;
const TIMESTAMPS_LIMIT = { max: 60, timeWindow: '1 hour' };
const CHECKPOINT_LIMIT = { max: 120, timeWindow: '1 hour' };
/** Reads the whole log. */
const CONSISTENCY_LIMIT = { max: 20, timeWindow: '1 hour' };

const LEAVES_AT_ONCE = 20_000;

type Reader = Pick<Call<unknown, unknown>, 'read'>;
type Stored = {
  readonly organizationId: string;
  /** The number of rows of the log. */
  readonly size: number;
  readonly frontier: FrontierState | null;
};
type CurrentTree = Pick<Stored, 'organizationId'> & { readonly tree: Frontier };

export function auditTreeRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, getAuditCheckpoint, { limit: CHECKPOINT_LIMIT }, async (call) => {
    const stored = await currentTree(call);
    if (isRefusal(stored)) return stored;
    const { organizationId, tree } = stored;
    return signed(context, (signer) =>
      signCheckpoint(signer, { organizationId, size: tree.size, root: rootOf(tree) }),
    );
  });

  route(app, context, getAuditConsistency, { limit: CONSISTENCY_LIMIT }, async (call) => {
    const stored = await currentTree(call);
    if (isRefusal(stored)) return stored;
    const { size } = stored.tree;
    const { from, to = size } = call.query;
    if (to > size) return beyond('to', size);
    if (from > to) return beyond('from', to);
    const { organizationId } = stored;
    const tree = new Frontier();
    const proof = consistencyProof(from, to);
    const roots = new Map<number, string>();
    for await (const leaves of leavesAfter(call, 0, size)) {
      if (isRefusal(leaves)) return leaves;
      for (const leaf of leaves) {
        tree.append(leaf);
        if (tree.size <= to) proof.append(leaf);
        if (tree.size === from || tree.size === to) roots.set(tree.size, rootOf(tree));
      }
    }
    const [earlier, later] = [roots.get(from), roots.get(to)];
    if (tree.size < size) return ReadModelsBehind({});
    // A proof about other rows than the events would be worthless.
    if (!earlier || !later || !tree.root().equals(stored.tree.root())) {
      return AuditLogDiffers({ first: 1, last: size });
    }
    const hashes = proof.proof().map((hash) => hash.toString('base64'));
    return signed(context, async (signer): Promise<AuditConsistency> => {
      const at = (rows: number, root: string) =>
        signCheckpoint(signer, { organizationId, size: rows, root });
      return {
        earlier: await at(from, earlier),
        later: await at(to, later),
        proof: hashes,
      };
    });
  });

  route(app, context, downloadAuditTimestamps, { limit: TIMESTAMPS_LIMIT }, async (call) => {
    const first = await stampedAfter(call, 0);
    if (isRefusal(first)) return first;
    return {
      kind: 'file',
      fileName: 'audit-timestamps.ndjson',
      body: ReadableStream.from(linesFrom(call, first)),
    };
  });

  route(app, context, getAuditCheck, ({ read }) => read(readAuditCheck, {}));
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

type Stamped = { readonly number: number; readonly line: unknown };

async function stampedAfter({ read }: Reader, after: number): Promise<Stamped[] | Refusal> {
  const result = await read(readAuditTimestamps, { after, max: STAMPS_AT_ONCE });
  if (isRefusal(result)) return result;
  return (JSON.parse(result.body ?? '{"stamped": []}') as { stamped: Stamped[] }).stamped;
}

async function* linesFrom(call: Reader, first: Stamped[]): AsyncGenerator<string> {
  for (let page = first; ; ) {
    yield page.map(({ line }) => `${JSON.stringify(line)}\n`).join('');
    const last = page.at(-1);
    if (!last || page.length < STAMPS_AT_ONCE) return;
    const next = await stampedAfter(call, last.number);
    // The response has started: it can only be aborted.
    if (isRefusal(next)) throw new Error(`A download ended early: ${next.code}`);
    page = next;
  }
}

/** The tree, once it has what the rows have, and the rows have what it has. */
export async function currentTree({ read }: Reader): Promise<CurrentTree | Refusal> {
  let least = 0;
  for (const since = performance.now(); ; await pause(LOOK_MS)) {
    const result = await read(readAuditTree, {});
    if (isRefusal(result)) return result;
    const { organizationId, size, frontier } = JSON.parse(result.body ?? '{}') as Stored;
    const tree = new Frontier(frontier ?? undefined);
    least ||= size;
    if (tree.size >= least && size >= tree.size) return { organizationId, tree };
    if (performance.now() - since < TREE_WAIT_MS) continue;
    // In a log that grows all the time, the rows may always be behind.
    return tree.size >= least ? { organizationId, tree } : ReadModelsBehind({});
  }
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

export const rootOf = (tree: Frontier) => tree.root().toString('base64');

function beyond(path: string, size: number): Refusal {
  const message = `${path} is beyond the last entry, which is ${size}`;
  return ValidationFailed({ summary: `${message}.` }, [{ path, message }]);
}
