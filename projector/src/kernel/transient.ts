import { isConnectionFault } from '@tallyhand/service-kit/postgres/pool';

/**
 * SQLSTATE classes that are not caused by an event: connection, serialization and deadlock,
 * resources (a full disk), locks, operator intervention, system errors, corruption.
 */
const PASSING_STATE = /^(08|40|53|55|57|58|XX)[0-9A-Z]{3}$/;
const PASSING_CODE = /^(E[A-Z]+|ERR_SOCKET_.*)$/;

/** Whether a fault is independent of the event: then the whole batch is retried. */
export function isTransient(error: unknown): boolean {
  if (isConnectionFault(error)) return true;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return PASSING_STATE.test(code) || PASSING_CODE.test(code);
  return typeof message === 'string' && /not queryable|UNAVAILABLE|DEADLINE/.test(message);
}
