import { isUtf8 } from 'node:buffer';

/** No row is as long: texts of such length are kept beside the events. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** A line of a file with its end, or null when it is too long or no UTF-8; `number` from 1. */
export type FileLine = { readonly number: number; readonly text: string | null };

/** The lines of a file, piece by piece: at most one line and one piece are in memory. */
export async function* fileLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let number = 0;
  let started: Buffer[] = [];
  let bytes = 0;

  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= LINE_BYTES_MAX) started.push(part);
    else started = [];
  };
  const finish = (): FileLine => {
    const line = Buffer.concat(started);
    const isText = bytes <= LINE_BYTES_MAX && isUtf8(line);
    [started, bytes] = [[], 0];
    number += 1;
    return { number, text: isText ? line.toString() : null };
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, start)) {
      keep(piece.subarray(start, at + 1));
      start = at + 1;
      yield finish();
    }
    if (start < piece.length) keep(piece.subarray(start));
  }
  if (bytes > 0) yield finish();
}
