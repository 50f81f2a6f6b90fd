/** The balance at which no credit counts as used. */
export const BALANCE_UNUSED = 1_000;

export const percentOf = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);

/** The share of credits that is used, from 0 to 100 whatever the balance. */
export const usedPercent = (balance: number) =>
  Math.min(100, Math.max(0, 100 - percentOf(balance, BALANCE_UNUSED)));
