import { ReadableStream } from 'node:stream/web';
import {
  type AuditExport,
  type AuditKey,
  downloadAuditExport,
  getAuditExport,
  getAuditKeyHistory,
  listAuditExports,
  listAuditKeys,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { ExportNotFinished } from '@tallyhand/contracts/features/audit/audit-exports.refusals';
import { getAuditPublishing } from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import { getLogStream } from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readAuditAccess,
  readAuditExport,
  readAuditExports,
} from '@tallyhand/read-models/features/audit/audit-exports';
import { readAuditPublishing } from '@tallyhand/read-models/features/audit/audit-publishing.tables';
import { readLogStream } from '@tallyhand/read-models/features/audit/log-stream';
import { keysOf } from '@tallyhand/service-kit/audit-bundle/key-history';
import { type PublicKey, publishedKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { type ZipPart, zipLayout } from '@tallyhand/service-kit/zip';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';
import { archiveBytes, rangeAsked } from './archive-bytes.ts';

/** For each caller; others are served by caches. */
const HISTORY_LIMIT = { max: 300, timeWindow: '1 minute' };
const HISTORY_CACHED_SECONDS = 60;

/** An export as stored: with its files, once all exist, instead of its length. */
type Kept = Omit<AuditExport, 'bytes'> & { readonly parts: readonly ZipPart[] | null };

export function auditExportsRoutes(app: FastifyInstance, context: QueryContext) {
  const { auditSigning } = context;
  route(app, context, listAuditKeys, async ({ read }) => {
    const access = await read(readAuditAccess, {});
    if (isRefusal(access)) return access;
    const keys = keysOf(await auditSigning.history()).toReversed();
    return { kind: 'rows', body: JSON.stringify(keys.map(shownKey)) };
  });
  route(app, context, getAuditKeyHistory, { limit: HISTORY_LIMIT }, async ({ reply }) => {
    const body = JSON.stringify({ keys: await auditSigning.history() });
    reply.header('cache-control', `public, max-age=${HISTORY_CACHED_SECONDS}`);
    return { kind: 'rows', body };
  });
  oneRoute(app, context, getAuditPublishing, readAuditPublishing);
  oneRoute(app, context, getLogStream, readLogStream);
  route(app, context, listAuditExports, async ({ read }) => {
    const result = await read(readAuditExports, {});
    if (isRefusal(result) || result.body === null) return result;
    const kept = JSON.parse(result.body) as Kept[];
    return { kind: 'rows', body: JSON.stringify(kept.map(shown)) };
  });
  const one = { what: 'export' } as const;
  route(app, context, getAuditExport, one, async ({ read, params }) => {
    const result = await read(readAuditExport, params);
    if (isRefusal(result) || result.body === null) return result;
    return { kind: 'rows', body: JSON.stringify(shown(JSON.parse(result.body) as Kept)) };
  });
  route(app, context, downloadAuditExport, one, async (call) => {
    const { read, params, reply } = call;
    const result = await read(readAuditExport, params);
    if (isRefusal(result) || result.body === null) return result;
    const { id, status, format, upTo, parts } = JSON.parse(result.body) as Kept;
    if (!parts || status !== 'finished') {
      return ExportNotFinished({ status: status === 'finished' ? 'running' : status });
    }
    const layout = zipLayout(parts);
    const tag = `"${id}"`;
    const range = rangeAsked(reply.request.headers, layout.bytes, tag);
    reply.header('accept-ranges', 'bytes').header('etag', tag);
    const [from, to] = range ?? [0, layout.bytes];
    if (range) {
      const isEmpty = from >= to;
      const bytes = isEmpty ? '*' : `${from}-${to - 1}`;
      reply.code(isEmpty ? 416 : 206).header('content-range', `bytes ${bytes}/${layout.bytes}`);
    }
    reply.header('content-length', Math.max(0, to - from));
    const body = ReadableStream.from(archiveBytes(call, id, layout.readRange(from, to)));
    return { kind: 'file', fileName: `audit-log-${upTo}-${format}.zip`, body };
  });
}

function shownKey(publicKey: PublicKey): AuditKey {
  const { jwk, ...key } = publishedKey(publicKey);
  const form = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' } as const;
  return { ...key, algorithm: 'Ed25519', jwk: { ...form, x: jwk.x ?? '' } };
}

const shown = ({ parts, ...kept }: Kept): AuditExport => ({
  ...kept,
  bytes: parts && kept.status === 'finished' ? zipLayout(parts).bytes : null,
});
