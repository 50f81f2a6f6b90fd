/**
 * A notification that a member has neither read nor received by mail. Moments are in milliseconds.
 */
export type Unmailed = { readonly id: string; readonly at: number; readonly isCritical: boolean };

export type MailPlan<N> = {
  /** What goes into one mail now; empty where there is none to be sent. */
  readonly now: readonly N[];
  /** When the rest is looked at again; null where there is none. */
  readonly againAt: number | null;
};

export type NoticeTimes = {
  /** Unread for so long, a notice is mailed: until then it may still be read. */
  readonly restMs: number;
  /** From one mail to a person to the next, but for what is critical. */
  readonly betweenMs: number;
};

/**
 * One person's next mail. What is critical goes at once, and takes along what would have gone now;
 * everything else waits for its rest, and for the mail before to be long enough ago.
 */
export function planMail<N extends Unmailed>(
  notices: readonly N[],
  lastAt: number | null,
  { now, restMs, betweenMs }: NoticeTimes & { readonly now: number },
): MailPlan<N> {
  const isFree = lastAt === null || now - lastAt >= betweenMs;
  const goes = notices.filter(({ at, isCritical }) => isCritical || (isFree && now - at >= restMs));
  const rest = notices.filter((notice) => !goes.includes(notice));
  if (rest.length === 0) return { now: goes, againAt: null };
  const rested = Math.min(...rest.map(({ at }) => at)) + restMs;
  const before = goes.length > 0 ? now : lastAt;
  const again = Math.max(rested, before === null ? 0 : before + betweenMs);
  return { now: goes, againAt: again };
}
