import { hash } from 'node:crypto';

/** Normally distributed numbers that follow from a seed. */
export function gaussians(seed: string, count: number): number[] {
  let state = hash('sha256', seed, 'buffer').readUInt32LE();
  const uniform = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

/** Adds vectors of one length. */
export const sumOf = (vectors: readonly (readonly number[])[]): number[] =>
  Array.from({ length: vectors[0]?.length ?? 0 }, (_, at) =>
    vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0),
  );
