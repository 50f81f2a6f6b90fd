import { vi } from 'vitest';

/**
 * How long tests wait for a condition, as `expect.poll` does by vitest.config.ts: a busy machine
 * takes its time, and a test that passes never waits so long.
 */
export const PATIENCE = { timeout: 180_000 };

type Options = Exclude<Parameters<typeof vi.waitFor>[1], number>;

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

const patient = (options: Options | number): Options =>
  typeof options === 'number' ? { timeout: options } : { ...PATIENCE, ...options };
