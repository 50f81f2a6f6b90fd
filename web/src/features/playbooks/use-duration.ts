import { useTranslation } from 'react-i18next';
import { listFormat, numberFormat } from '../../ui/formats.ts';

const MINUTES_IN_HOUR = 60;

/** Gives minutes in words of the chosen language: "1 hr, 30 min". */
export function useDuration() {
  const { i18n } = useTranslation();
  const part = (value: number, unit: 'hour' | 'minute') =>
    numberFormat(i18n.language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  return (minutes: number): string => {
    const hours = Math.floor(minutes / MINUTES_IN_HOUR);
    const rest = minutes % MINUTES_IN_HOUR;
    const parts = [
      ...(hours > 0 ? [part(hours, 'hour')] : []),
      ...(rest > 0 || hours === 0 ? [part(rest, 'minute')] : []),
    ];
    return listFormat(i18n.language, { type: 'unit', style: 'short' }).format(parts);
  };
}
