import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from './app.ts';

const EVERY_MS = 10 * 60_000;

/** Deletes useless rows: none of them is the only record of anything. */
const FORGOTTEN = [
  `delete from operational.idempotency where created_at < now() - interval '24 hours'`,
  `delete from operational.sign_in_failures where failed_at < now() - interval '1 hour'`,
  `delete from operational.chat_limits where updated_at < now() - interval '1 day'`,
  `delete from operational.sign_ins where expires_at < now() - interval '1 day'`,
  `delete from operational.account_tokens where expires_at < now() - interval '1 day'`,
  `delete from operational.second_factors
   where enabled_at is null and made_at < now() - interval '1 day'`,
  `delete from operational.session_steps where begun_at < now() - interval '1 day'`,
  `delete from operational.session_browsers where opened_at < now() - interval '1 day'`,
  `delete from operational.runners where seen_at < now() - interval '1 hour'`,
  // Nothing older is mailed.
  `delete from operational.notice_mails where made_at < now() - interval '2 days'`,
  `delete from operational.outgoing_mail where made_at < now() - interval '30 days'`,
  `delete from operational.webhook_deliveries where created_at < now() - interval '30 days'`,
  'select operational.forget_expired_exports()',
];

/** Clears away old rows again and again. */
export function keepHouse({ pool, log }: Kit): AsyncDisposable {
  const sweep = async () => {
    for (const sql of FORGOTTEN) await pool.query(sql);
  };
  const timer = setInterval(() => {
    sweep().catch((error) => log.warn('old rows were not cleared', errorFields(error)));
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
