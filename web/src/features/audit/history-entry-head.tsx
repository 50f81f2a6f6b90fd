import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';

/** What kind of change it was, which version it led to, who made it, and when. */
export function HistoryEntryHead({
  entry,
  isCurrent,
}: {
  entry: HistoryEntry;
  isCurrent: boolean;
}) {
  const { t } = useTranslation('audit');
  const { version, restoredFrom, actor } = entry;
  return (
    <div className="min-w-0">
      <h3 className="flex flex-wrap items-center gap-x-2 font-medium">
        {restoredFrom === null
          ? t(`kinds.${entry.kind}`)
          : t('restoredFrom', { version: restoredFrom })}
        {version !== null && <Badge>{t('version', { version })}</Badge>}
        {isCurrent && <Badge tone="accent">{t('current')}</Badge>}
      </h3>
      <p className="text-xs break-words text-muted">
        {actor.name ?? (actor.id ? t('formerMember') : t('system'))} ·{' '}
        <RelativeTime at={entry.createdAt} />
      </p>
    </div>
  );
}
