import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateFormat, relativeTimeFormat } from './formats.ts';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const REFRESH_MS = 30_000;

/** "3 hours ago" in the given language. Both times are in milliseconds. */
function relativeTime(at: number, now: number, language: string): string {
  const seconds = Math.round((at - now) / 1000);
  const format = relativeTimeFormat(language, { numeric: 'auto' });
  for (const [index, [unit, length]] of UNITS.entries()) {
    // A term of one day is 24 hours, whether its page was loaded a moment before or after it began.
    const [, step] = UNITS[index + 1] ?? ['second', 1];
    const least = seconds > 0 ? length + step / 2 : length;
    if (Math.abs(seconds) >= least) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(0, 'second');
}

/** How long ago; the exact time on hover and in print. `at` is an ISO time. */
export function RelativeTime({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const exact = dateFormat(i18n.language, {
    dateStyle: 'full',
    timeStyle: 'medium',
  }).format(new Date(at));
  return (
    <time
      dateTime={at}
      title={exact}
      data-exact={exactTime(at, i18n.language)}
      className="whitespace-nowrap"
    >
      {relativeTime(Date.parse(at), now, i18n.language)}
    </time>
  );
}

/** A moment to the second, in words. `at` is an ISO time. */
export const exactTime = (at: string, language: string) =>
  dateFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));

/** When to the second, for what is compared with its neighbours. `at` is an ISO time. */
export function ExactTime({ at }: { at: string }) {
  const { i18n } = useTranslation();
  return (
    <time dateTime={at} className="tabular">
      {exactTime(at, i18n.language)}
    </time>
  );
}

/** A date, with the time on hover. `at` is an ISO time. */
export function DateText({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      title={dateFormat(i18n.language, { dateStyle: 'full', timeStyle: 'medium' }).format(date)}
      className="whitespace-nowrap"
    >
      {dateFormat(i18n.language, { dateStyle: 'medium' }).format(date)}
    </time>
  );
}
