import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readExportChunk } from '@tallyhand/read-models/features/audit/audit-exports';
import type { Segment } from '@tallyhand/service-kit/zip';
import type { Call } from '../../kernel/route.ts';

type Reader = Pick<Call<unknown, unknown>, 'read'>;
type Chunk = { readonly start: number; readonly content: string };

/** Bytes of an export's archive, piece by piece. Each piece checks the sign-in and the role again. */
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

/** What an export's file holds from a place on, as far as its piece goes. */
async function pieceAt({ read }: Reader, id: string, file: string, at: number): Promise<Buffer> {
  const result = await read(readExportChunk, { id, file, at });
  // The answer has begun: all that can be done is to break it off.
  if (isRefusal(result)) throw new Error(`A download ended early: ${result.code}`);
  const chunk = JSON.parse(result.body ?? 'null') as Chunk | null;
  const piece = chunk && Buffer.from(chunk.content, 'base64').subarray(at - chunk.start);
  if (!piece?.length) throw new Error(`The export ${id} has no byte ${at} of ${file}`);
  return piece;
}
