import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ZipFile } from '@tallyhand/service-kit/zip';

/** Unpacked; one line may be larger than that. */
const PART_BYTES = 4 * 1024 * 1024;
/** Far above the size of a genuine part: a larger one is not genuine. */
const UNPACKED_BYTES_MAX = 512 * 1024 * 1024;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Lines as packed files of a folder, small enough to be held in memory one at a time. */
export async function* partsOf(
  folder: string,
  lines: AsyncIterable<string>,
): AsyncGenerator<ZipFile> {
  let waiting: string[] = [];
  let bytes = 0;
  let number = 0;
  const part = async (): Promise<ZipFile> => {
    number += 1;
    const contents = await pack(waiting.join(''));
    waiting = [];
    bytes = 0;
    return { name: `${folder}/${String(number).padStart(6, '0')}.ndjson.gz`, contents };
  };
  for await (const line of lines) {
    waiting.push(`${line}\n`);
    bytes += line.length;
    if (bytes >= PART_BYTES) yield await part();
  }
  if (waiting.length > 0) yield await part();
}

/** The lines of one part. */
export async function linesOf(contents: Buffer): Promise<string[]> {
  const unpacked = await unpack(contents, { maxOutputLength: UNPACKED_BYTES_MAX });
  return unpacked.toString().split('\n').slice(0, -1);
}
