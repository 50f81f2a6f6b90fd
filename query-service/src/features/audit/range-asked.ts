import type { IncomingHttpHeaders } from 'node:http';

/**
 * The bytes that a request asks for, without the last (RFC 9110, one range): null for all, as also
 * where the range is none that we know, or is of another file than the one that is there.
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
