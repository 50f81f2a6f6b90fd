import type { Kit } from '@tallyhand/command-service/kit/app';
import { mailerOf } from '@tallyhand/command-service/kit/mail/mailer';
import { StreamStore } from '@tallyhand/command-service/kit/streams';
import { postgresVault } from '@tallyhand/command-service/kit/vault';
import type pg from 'pg';

/** The process is dead: nothing of it reaches anything any more. */
class CutOff extends Error {}

const WRITES = /^\s*(insert|update|delete|with|select pg_notify)\b/i;

export type CutOffKit = { readonly kit: Kit; readonly isDead: () => boolean };

/**
 * The same kit in a process that dies before its write of that number, the first being 0; what is
 * read until then is read.
 */
export function cutOffAt(kit: Kit, step: number): CutOffKit {
  let writes = 0;
  let isDead = false;
  const pass = (isWrite: boolean) => {
    if (isWrite) {
      isDead ||= writes === step;
      writes += 1;
    }
    if (isDead) throw new CutOff(`Before write ${step}`);
  };
  const pool = poolThat(kit.pool, (sql) => pass(WRITES.test(sql)));
  const { eventLog } = kit.streams;
  const append: typeof eventLog.append = async (...given) => {
    pass(true);
    return eventLog.append(...given);
  };
  const { box, settings, log, personKeys } = kit;
  return {
    isDead: () => isDead,
    kit: {
      ...kit,
      pool,
      vault: postgresVault(pool, box, personKeys),
      mail: mailerOf({ pool, box, settings, log }),
      streams: new StreamStore({ ...kit.streams.options, eventLog: { ...eventLog, append } }),
    },
  };
}

/** `check` sees each statement first, also of transactions. */
function poolThat(pool: pg.Pool, check: (sql: string) => void): pg.Pool {
  const checked =
    <Q extends { query(...given: unknown[]): unknown }>(target: Q) =>
    async (...given: unknown[]) => {
      if (typeof given[0] === 'string' && given[0] !== 'rollback') check(given[0]);
      return target.query(...given);
    };
  const connect = async () => {
    const client = await pool.connect();
    return {
      query: checked(client as never),
      release: client.release.bind(client),
    };
  };
  return { query: checked(pool as never), connect } as unknown as pg.Pool;
}
