import { describe, expect, it } from 'vitest';
import { cosine, signsOf, vectorIn } from './vectors.ts';

describe('signsOf', () => {
  it('has a digit for each number', () => {
    expect(signsOf(Float32Array.of(0.5, -0.1, 0, -2))).toBe('1010');
  });
});

describe('cosine', () => {
  it('is 1 for the same direction, and below all others for other dimensions', () => {
    expect(cosine(Float32Array.of(0.6, 0.8), Float32Array.of(0.6, 0.8))).toBeCloseTo(1);
    expect(cosine(Float32Array.of(1, 0), Float32Array.of(-1, 0))).toBe(-1);
    expect(cosine(Float32Array.of(1), Float32Array.of(1, 0))).toBe(-2);
  });
});

describe('vectorIn', () => {
  it("reads what PostgreSQL's array_send writes", () => {
    // select array_send('{0.5,-2}'::real[])
    const hex = '0000000100000000000002bc0000000200000001000000043f00000000000004c0000000';
    expect([...vectorIn(Buffer.from(hex, 'hex'))]).toEqual([0.5, -2]);
  });
});
