import type { IncomingHttpHeaders } from 'node:http';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readExportChunk } from '@tallyhand/read-models/features/audit/audit-exports';
import type { Segment } from '@tallyhand/service-kit/zip';
import type { Call } from '../../kernel/route.ts';

/**
 * The requested byte range, end exclusive (RFC 9110, one range). Null means all bytes: without a
 * range, with an unsupported one, or when `If-Range` names another file.
 */
export function rangeAsked(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  bytes: number,
  tag: string,
): readonly [from: number, to: number] | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (ifRange !== undefined && ifRange !== tag) return null;
  if (first === '') return [Math.max(0, bytes - Number(last)), bytes];
  if (last !== '' && Number(last) < Number(first)) return null;
  return [Number(first), last === '' ? bytes : Math.min(Number(last) + 1, bytes)];
}

type Reader = Pick<Call<unknown, unknown>, 'read'>;
type Chunk = { readonly start: number; readonly content: string };

/** The bytes of an export's archive in pieces. Each piece checks the sign-in and the role again. */
export async function* archiveBytes(
  call: Reader,
  id: string,
  segments: readonly Segment[],
): AsyncGenerator<Uint8Array> {
  for (const segment of segments) {
    if (segment.kind === 'bytes') {
      yield segment.bytes;
      continue;
    }
    const { name, from, to } = segment;
    for (let at = from; at < to; ) {
      const piece = await pieceAt(call, id, name, at);
      const wanted = piece.subarray(0, to - at);
      yield wanted;
      at += wanted.length;
    }
  }
}

/** The bytes of an export's file from a position to the end of its chunk. */
async function pieceAt({ read }: Reader, id: string, file: string, at: number): Promise<Buffer> {
  const result = await read(readExportChunk, { id, file, at });
  // The response has started: it can only be aborted.
  if (isRefusal(result)) throw new Error(`A download ended early: ${result.code}`);
  const chunk = JSON.parse(result.body ?? 'null') as Chunk | null;
  const piece = chunk && Buffer.from(chunk.content, 'base64').subarray(at - chunk.start);
  if (!piece?.length) throw new Error(`The export ${id} has no byte ${at} of ${file}`);
  return piece;
}
