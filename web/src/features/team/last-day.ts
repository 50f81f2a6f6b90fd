import { dayAfter } from '@tallyhand/contracts/kernel/auditor-access';
import { useTranslation } from 'react-i18next';
import { dateFormat } from '../../ui/formats.ts';

/** A day so many days from today, in UTC as the server counts. */
export const inDays = (days: number) => dayAfter(new Date(), days);

/** Formats a day, which is the same in every time zone. */
export function useDayText() {
  const { i18n } = useTranslation();
  return (day: string) =>
    dateFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));
}
