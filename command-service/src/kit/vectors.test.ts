import { describe, expect, it } from 'vitest';
import { bytesOf, cosine, signsOf, vectorIn } from './vectors.ts';

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

describe('the stored bytes of a vector', () => {
  it("are those of PostgreSQL's `float4send`", () => {
    expect(bytesOf(Float32Array.of(0.5, -2)).toString('hex')).toBe('3f000000c0000000');
  });

  it('are read as the same vector', () => {
    const vector = Float32Array.of(0.1, -3e-9, 0);
    expect(vectorIn(bytesOf(vector))).toEqual(vector);
  });
});
