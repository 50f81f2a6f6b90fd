import { vi } from 'vitest';

/** How long tests wait where they don't say: what comes about on a busy machine comes later. */
const PATIENCE = { timeout: 20_000 };

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options = PATIENCE) => waitFor(callback, options);
vi.waitUntil = (callback, options = PATIENCE) => waitUntil(callback, options);
