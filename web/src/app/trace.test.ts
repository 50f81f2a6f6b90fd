import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTrace } from './trace.ts';

const sent = (method: 'GET' | 'POST') => inTrace(method, async (traceparent) => traceparent);
const traceOf = (traceparent: string) => traceparent.split('-')[1];
const trace = async (method: 'GET' | 'POST') => traceOf(await sent(method));

describe('the trace of a call', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has the format of W3C, and marks that nothing was recorded', async () => {
    expect(await sent('POST')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('is a new one for each change', async () => {
    expect(await trace('POST')).not.toBe(await trace('POST'));
  });

  it('is that of the change which a read shows, with a new span id', async () => {
    const change = await sent('POST');
    const reads = [await sent('GET'), await sent('GET')];
    expect(reads.map(traceOf)).toEqual([traceOf(change), traceOf(change)]);
    expect(new Set([change, ...reads]).size).toBe(3);
  });

  it('is that of a change that still waits for its answer', async () => {
    let answer = () => {};
    let change: string | undefined;
    const waiting = inTrace('POST', (traceparent) => {
      change = traceOf(traceparent);
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await trace('GET')).toBe(change);
    answer();
    await waiting;
  });

  it('is its own where the last change was long ago, or failed long ago', async () => {
    const change = await trace('POST');
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await trace('GET')).not.toBe(change);
    expect(await trace('GET')).not.toBe(await trace('GET'));
    const failing = inTrace('POST', async () => {
      throw new Error('no answer');
    });
    await expect(failing).rejects.toThrow('no answer');
    const shown = await trace('GET');
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await trace('GET')).not.toBe(shown);
  });
});
