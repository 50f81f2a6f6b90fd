import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { failureOf, outboundFailure } from './outbound-errors.ts';

/** What a request offers in accept-encoding; nothing else is unpacked. */
export const acceptedEncodings = 'gzip, deflate, br';

const encodingsMax = 2;

/**
 * The chunks of a body, unpacked. Rejects with OutboundFailed, `too-large` when the body has more
 * than `bytesMax` bytes before or after unpacking, so that neither an endless stream nor a
 * decompression bomb is ever held. The source is destroyed at the end, whatever the end was.
 */
export async function* unpacked(
  source: Readable,
  contentEncoding: string,
  bytesMax: number,
  host: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const stages: (NodeJS.ReadableStream & NodeJS.WritableStream)[] = [
      counted(bytesMax, host),
      ...decodersOf(contentEncoding, host),
      counted(bytesMax, host),
    ];
    // The callback keeps errors from becoming uncaught; the loop below sees them too.
    const last = pipeline([source, ...stages], () => undefined) as unknown as Readable;
    for await (const chunk of last) yield chunk as Uint8Array;
  } catch (error) {
    throw failureOf(error, host);
  } finally {
    source.on('error', () => undefined).destroy();
  }
}

function counted(bytesMax: number, host: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) done(outboundFailure('too-large', host));
      else done(null, chunk);
    },
  });
}

/** The last encoding was put on last and comes off first. */
function decodersOf(contentEncoding: string, host: string): Transform[] {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > encodingsMax) throw outboundFailure('protocol', host);
  return names.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createInflate();
    if (name === 'br') return createBrotliDecompress();
    throw outboundFailure('protocol', host);
  });
}
