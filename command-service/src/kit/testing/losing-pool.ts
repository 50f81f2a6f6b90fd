import type pg from 'pg';

/**
 * The pool as while the database goes away: of the statements that match, the first is answered with
 * an error, and is carried out only if it `isCarriedOut`.
 */
export function losingPool(
  pool: pg.Pool,
  statement: RegExp,
  { isCarriedOut }: { readonly isCarriedOut: boolean },
): pg.Pool {
  let isLost = false;
  const query = async (text: string, values?: unknown[]) => {
    const isLostNow = !isLost && statement.test(text);
    isLost ||= isLostNow;
    const result = isLostNow && !isCarriedOut ? null : await pool.query(text, values);
    if (isLostNow) throw new Error('The connection to the database was lost');
    return result;
  };
  return new Proxy(pool, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)),
  });
}
