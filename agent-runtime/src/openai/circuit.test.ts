import {
  ModelBusy,
  ModelDown,
  ModelKeyRejected,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineFailure } from '../engine.ts';
import { newCircuit } from './circuit.ts';

const failing = (sentence: Sentence) => () => Promise.reject(new EngineFailure(sentence));
const down = failing(ModelDown({ status: 503 }));
const answer = () => Promise.resolve('Yes.');

/** A circuit and what its calls ended with. */
function circuitOf() {
  const circuit = newCircuit();
  let calls = 0;
  return {
    made: () => calls,
    call: (work: () => Promise<unknown>) =>
      circuit(() => {
        calls += 1;
        return work();
      }).catch((error: Error) => error.message),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the circuit of an endpoint', () => {
  it('makes no calls after five failures in a row, and tries again after a pause', async () => {
    const { call, made } = circuitOf();
    for (let n = 0; n < 5; n += 1) expect(await call(down)).toContain('503');
    expect(await call(answer)).toContain('failed several times in a row');
    expect(made()).toBe(5);
    vi.advanceTimersByTime(10_000);
    expect(await call(answer)).toBe('Yes.');
    expect(await call(answer)).toBe('Yes.');
    expect(made()).toBe(7);
  });

  it('makes one call after a pause, whose failure begins a longer pause', async () => {
    const { call, made } = circuitOf();
    for (let n = 0; n < 5; n += 1) await call(down);
    vi.advanceTimersByTime(10_000);
    expect(await call(down)).toContain('503');
    expect(await call(answer)).toContain('in a row');
    expect(made()).toBe(6);
    vi.advanceTimersByTime(60_000);
    expect(await call(answer)).toBe('Yes.');
  });

  it('stays closed while some calls succeed', async () => {
    const { call, made } = circuitOf();
    for (let n = 0; n < 20; n += 1) await call(n % 5 === 4 ? answer : down);
    expect(made()).toBe(20);
  });

  it.each([ModelBusy({}), ModelKeyRejected({ status: 401 })])(
    'stays closed after failures that say nothing about the next call: $text',
    async (sentence) => {
      const { call, made } = circuitOf();
      for (let n = 0; n < 8; n += 1) expect(await call(failing(sentence))).toBe(sentence.text);
      expect(made()).toBe(8);
    },
  );

  it('lets nobody wait while one call tries the endpoint', async () => {
    const { call, made } = circuitOf();
    for (let n = 0; n < 5; n += 1) await call(down);
    vi.advanceTimersByTime(10_000);
    const trial = Promise.withResolvers<string>();
    const first = call(() => trial.promise);
    expect(await call(answer)).toContain('in a row');
    expect(made()).toBe(6);
    trial.resolve('Up again.');
    expect(await first).toBe('Up again.');
    expect(await call(answer)).toBe('Yes.');
  });
});
