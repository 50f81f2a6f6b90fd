import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { useCurrentUser } from '../identity/identity.api.ts';
import { RATING_ICONS } from './rating-buttons.tsx';

/** The reasons that other members gave. The caller's own is beside the buttons. */
export function TaskReasons({ ratings }: Pick<TaskDetail, 'ratings'>) {
  const { t } = useTranslation('ratings');
  const { id: userId } = useCurrentUser();
  const given = ratings.filter(({ ratedBy, reason }) => reason && ratedBy.id !== userId);
  if (given.length === 0) return null;
  return (
    <ul aria-label={t('reason.ofOthers')} className="flex max-w-[68ch] flex-col gap-2">
      {given.map(({ rating, reason, ratedBy: { id, name } }) => {
        const Icon = RATING_ICONS[rating];
        return (
          <li key={id} className="flex gap-2">
            <Icon aria-label={t(rating)} className="mt-0.5 size-4 shrink-0 text-muted" />
            <span className="min-w-0 break-words">
              {reason} <span className="text-muted">– {name ?? t('formerMember')}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
