import { useTranslation } from 'react-i18next';
import { dateFormat, numberFormat } from '../../ui/formats.ts';

/** Numbers, money and days in the language that is shown. */
export function useFormats() {
  const { i18n } = useTranslation();
  const { language } = i18n;
  const whole = numberFormat(language);
  return {
    number: (value: number) => whole.format(value),
    /** With its sign, but for 0. */
    change: (value: number) => numberFormat(language, { signDisplay: 'exceptZero' }).format(value),
    /** `amount` as a number or decimal text; as many decimals as the currency has, or as given. */
    money: (amount: number | string, currency: string, decimals?: number) =>
      numberFormat(language, {
        style: 'currency',
        currency,
        ...(decimals !== undefined && {
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
        }),
      }).format(Number(amount)),
    /** `day` as 2026-11-21: days of usage are days in UTC. */
    day: (day: string) =>
      dateFormat(language, {
        day: 'numeric',
        month: 'short',
        timeZone: 'UTC',
      }).format(new Date(`${day}T00:00:00Z`)),
  };
}
