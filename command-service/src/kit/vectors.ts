/** The sign of each number as a digit: vectors of similar direction have many digits in common. */
export const signsOf = (vector: Float32Array): string =>
  Array.from(vector, (number) => (number < 0 ? '0' : '1')).join('');

/** The cosine of two vectors of length 1; below all others if they have different dimensions. */
export function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return -2;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

const HEADER_BYTES = 20;
/** Each number follows its length, in four bytes each. */
const NUMBER_BYTES = 8;

/** A `real[]` of one dimension and without nulls, as PostgreSQL's `array_send` writes it. */
export function vectorIn(bytes: Buffer): Float32Array {
  const length = (bytes.length - HEADER_BYTES) / NUMBER_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length }, (_, at) =>
    view.getFloat32(HEADER_BYTES + at * NUMBER_BYTES + 4),
  );
}
