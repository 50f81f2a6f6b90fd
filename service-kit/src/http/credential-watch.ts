import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { errorFields, type Log } from '../log.ts';

/** Streams end within five seconds: this, and the time of one query. */
const CHECK_MS = 3_000;

type Watched = { readonly credentialId: string; readonly end: () => void };

/** Ends what a checked request opened, once its sign-in or API key is no longer valid. */
export type CredentialWatch = AsyncDisposable & {
  /** Calls `end` at most once. Returns a function that stops the watch. */
  watch(credentialId: string, end: () => void): () => void;
};

export function credentialWatch(
  { pool, log }: { readonly pool: pg.Pool; readonly log: Log },
  checkMs = CHECK_MS,
): CredentialWatch {
  const open = new Set<Watched>();
  const ending = new AbortController();

  async function check() {
    const checked = [...open];
    if (checked.length === 0) return;
    const ids = [...new Set(checked.map(({ credentialId }) => credentialId))];
    const { rows } = await pool.query<{ id: string }>(
      `select a.sign_in_id as id from unnest($1::uuid[]) s (id), operational.authenticate(s.id) a`,
      [ids],
    );
    const valid = new Set(rows.map(({ id }) => id));
    for (const watched of checked) {
      if (!valid.has(watched.credentialId) && open.delete(watched)) watched.end();
    }
  }

  async function keepChecking() {
    while (!ending.signal.aborted) {
      await sleep(checkMs, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      await check().catch((error) =>
        log.warn('the sign-ins of open streams were not checked', errorFields(error)),
      );
    }
  }
  const checking = keepChecking();

  return {
    watch(credentialId, end) {
      const watched = { credentialId, end };
      open.add(watched);
      return () => open.delete(watched);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await checking;
    },
  };
}
