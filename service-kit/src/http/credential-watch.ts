import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type pg from 'pg';
import { errorFields, type Log } from '../log.ts';

/** Streams end within five seconds: this, and the time of one query. */
const CHECK_MS = 3_000;

type Opened = {
  readonly credentialId: string;
  /** Whether a member or key with this role, which may have changed, may still make the call. */
  readonly isAllowed: (role: Role) => boolean;
};
type Watched = Opened & { readonly end: () => void };

/**
 * Ends what a checked request opened, once its sign-in or API key is no longer valid or may not make
 * the call.
 */
export type CredentialWatch = AsyncDisposable & {
  /** Calls `end` at most once. Returns a function that stops the watch. */
  watch(opened: Opened, end: () => void): () => void;
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
    const { rows } = await pool.query<{ id: string; role: Role }>(
      `select a.sign_in_id as id, a.role from unnest($1::uuid[]) s (id), operational.authenticate(s.id) a`,
      [ids],
    );
    const roles = new Map(rows.map(({ id, role }) => [id, role]));
    for (const watched of checked) {
      const role = roles.get(watched.credentialId);
      if ((role === undefined || !watched.isAllowed(role)) && open.delete(watched)) watched.end();
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
    watch(opened, end) {
      const watched = { ...opened, end };
      open.add(watched);
      return () => open.delete(watched);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await checking;
    },
  };
}
