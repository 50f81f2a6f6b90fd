import type { SpendLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { useTranslation } from 'react-i18next';

/** Gives the name of a limit's agent or member, also after that was deleted. */
export function useLimitName() {
  const { t } = useTranslation('credits');
  return ({ name, scope }: SpendLimit) =>
    name ?? (scope.kind === 'agent' ? t('formerAgent') : t('formerMember'));
}
