import { useTranslation } from 'react-i18next';

/** Why a mailbox does not work, by the stable name of that; else in the server's own words. */
export function useFailureWords() {
  const { t } = useTranslation('mailboxes');
  return (code: string | null, sentence: string) =>
    t(`failures.${code}` as 'failures.timeout', { defaultValue: sentence });
}
