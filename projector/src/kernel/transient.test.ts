import { describe, expect, it } from 'vitest';
import { isTransient } from './transact.ts';

const withCode = (code: string) => Object.assign(new Error('It failed'), { code });

describe('a fault', () => {
  it.each(['08006', '40001', '40P01', '53100', '55P03', '57P01', '58030', 'ECONNRESET', 'ENOSPC'])(
    'with code %s may pass',
    (code) => {
      expect(isTransient(withCode(code))).toBe(true);
    },
  );

  it.each(['22P02', '23505', '42703'])("with code %s is the event's fault", (code) => {
    expect(isTransient(withCode(code))).toBe(false);
  });

  it("without a code is the event's fault, unless the connection was lost", () => {
    expect(isTransient(new TypeError('undefined is not a function'))).toBe(false);
    expect(isTransient(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isTransient(new Error('cached plan must not change result type'))).toBe(true);
    expect(isTransient('words')).toBe(false);
  });
});
