import type { LiveAction } from '@tallyhand/contracts/features/sessions/live.messages';
import { useTranslation } from 'react-i18next';
import { dateFormat } from '../../ui/formats.ts';
import { useActionName } from './step-action.tsx';

/** The latest actions as they happen, the newest first. */
export function LiveActions({ actions }: { actions: readonly LiveAction[] }) {
  const { t, i18n } = useTranslation('sessions');
  const nameOf = useActionName();
  // Two actions may be alike in everything: their place tells them apart.
  const placed = actions.map((action, index) => ({ ...action, key: `${actions.length - index}` }));
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-xs text-muted">{t('live.actions')}</h3>
      {placed.length === 0 && <p className="text-muted">{t('live.noActions')}</p>}
      {placed.length > 0 && (
        <ol className="flex flex-col">
          {placed.map(({ key, action, timestamp, details }) => (
            <li key={key} className="flex gap-3 border-t border-line py-1.5 first:border-0">
              <time dateTime={timestamp} className="tabular text-xs leading-5 text-muted">
                {dateFormat(i18n.language, { timeStyle: 'medium' }).format(new Date(timestamp))}
              </time>
              <span className="min-w-0 break-words">
                <span className="font-medium">{nameOf(action)}</span>{' '}
                <span className="text-muted">{details}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
