import type { SpendLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { useTranslation } from 'react-i18next';

/** Gives the name of whom a limit is about, also when that agent or member is gone. */
export function useLimitName() {
  const { t } = useTranslation('credits');
  return ({ name, scope }: SpendLimit) =>
    name ?? (scope.kind === 'agent' ? t('formerAgent') : t('formerMember'));
}
