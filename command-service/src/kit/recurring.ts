import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { Kit } from './app.ts';

const EVERY_MS = 10 * 60_000;

/** None of these rows is the only record of anything. */
const OLD_ROWS = [
  `delete from operational.idempotency where created_at < now() - interval '24 hours'`,
  `delete from operational.sign_in_failures where failed_at < now() - interval '1 hour'`,
  `delete from operational.chat_limits where updated_at < now() - interval '1 day'`,
  `delete from operational.sign_ins where expires_at < now() - interval '1 day'`,
  `delete from operational.tool_sign_ins where begun_at < now() - interval '1 hour'`,
  `delete from operational.account_tokens where expires_at < now() - interval '1 day'`,
  `delete from operational.second_factors
   where enabled_at is null and made_at < now() - interval '1 day'`,
  `delete from operational.session_steps where begun_at < now() - interval '1 day'`,
  `delete from operational.session_browsers where opened_at < now() - interval '1 day'`,
  `delete from operational.runners where seen_at < now() - interval '1 hour'`,
  // Older notifications are not mailed.
  `delete from operational.notification_mails where made_at < now() - interval '2 days'`,
  `delete from operational.outgoing_mail where made_at < now() - interval '30 days'`,
  `delete from operational.webhook_deliveries where created_at < now() - interval '30 days'`,
  'delete from operational.log_streams where ends_at < now()',
  'select operational.forget_expired_exports()',
  'select operational.forget_unsent_attachments()',
];

/** Deletes old rows periodically. */
export const deleteOldRows = ({ pool, log }: Kit): AsyncDisposable =>
  recurring({ everyMs: EVERY_MS, failed: 'old rows were not deleted', log }, async () => {
    for (const sql of OLD_ROWS) await pool.query(sql);
  });

type Recurring = {
  readonly everyMs: number;
  /** Instead of after the first pause. */
  readonly startsAtOnce?: boolean;
  readonly failed: string;
  readonly log: Log;
};

/**
 * Repeats the work until it is disposed of, with a pause of `everyMs` after each run. The signal aborts
 * then; what the work throws after it is no failure.
 */
export function recurring(
  { everyMs, startsAtOnce = false, failed, log }: Recurring,
  work: (stop: AbortSignal) => Promise<void>,
): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

  function next(pauseMs = everyMs) {
    if (signal.aborted) return;
    timer = setTimeout(() => {
      running = work(signal)
        .catch((error) => {
          if (!signal.aborted) log.warn(failed, errorFields(error));
        })
        .then(() => next());
    }, pauseMs);
  }

  next(startsAtOnce ? 0 : everyMs);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
