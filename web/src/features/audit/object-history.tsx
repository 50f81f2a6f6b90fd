import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { History } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { type HistoryKind, useListHistoryInfiniteQuery } from './audit.api.ts';
import { HistoryChanges } from './history-change.tsx';
import { RestoreVersionDialog } from './restore-version-dialog.tsx';

export type ObjectHistoryProps = {
  kind: HistoryKind;
  id: string;
  /** Whether the reader may change the object. */
  canRestore: boolean;
  currentVersion: number;
};

/** Who changed an object, when and what, newest first; older versions can be brought back. */
export function ObjectHistory({ kind, id, canRestore, currentVersion }: ObjectHistoryProps) {
  const { t } = useTranslation('audit');
  const { t: common } = useTranslation('common');
  const [restoring, setRestoring] = useState<number>();
  const { currentData, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useListHistoryInfiniteQuery({ kind, id });
  if (!currentData && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!currentData) {
    return (
      <Loading label={t('loading')} className="flex flex-col gap-4">
        <Skeletons count={4} className="h-16 rounded-lg" />
      </Loading>
    );
  }
  const entries = currentData.pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <EmptyState icon={History} title={t('empty.title')} description={t('empty.description')} />
    );
  }
  return (
    <>
      <ol aria-label={t('history')} className="flex flex-col divide-y divide-line">
        {entries.map((entry) => (
          <Entry
            key={entry.id}
            kind={kind}
            entry={entry}
            isCurrent={entry.version === currentVersion}
            onRestore={canRestore ? setRestoring : undefined}
          />
        ))}
      </ol>
      {error && <LoadFailed error={error} onRetry={fetchNextPage} />}
      {hasNextPage && !error && (
        <div className="flex justify-center">
          <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {common('actions.showMore')}
          </Button>
        </div>
      )}
      {restoring !== undefined && (
        <RestoreVersionDialog
          kind={kind}
          id={id}
          version={restoring}
          close={() => setRestoring(undefined)}
        />
      )}
    </>
  );
}

type EntryProps = {
  kind: HistoryKind;
  entry: HistoryEntry;
  isCurrent: boolean;
  /** Absent for those who may not. */
  onRestore?: (version: number) => void;
};

function Entry({ kind, entry, isCurrent, onRestore }: EntryProps) {
  const { t } = useTranslation('audit');
  const { version, changes } = entry;
  return (
    <li className="flex flex-col gap-3 py-4 first:pt-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <Who entry={entry} isCurrent={isCurrent} />
        {version !== null && !isCurrent && onRestore && (
          <Button size="sm" onClick={() => onRestore(version)}>
            {t('restore.action')}
            <span className="sr-only">({t('version', { version })})</span>
          </Button>
        )}
      </div>
      {entry.kind === 'created' ? (
        <details>
          <summary className="w-fit rounded-sm text-xs font-medium text-accent underline-offset-4 hover:underline">
            {t('began')}
          </summary>
          <div className="mt-2">
            <HistoryChanges kind={kind} changes={changes} />
          </div>
        </details>
      ) : (
        <HistoryChanges kind={kind} changes={changes} />
      )}
      {entry.kind === 'changed' && changes.length === 0 && (
        <p className="text-xs text-muted">{t('nothingCompared')}</p>
      )}
    </li>
  );
}

function Who({ entry, isCurrent }: { entry: HistoryEntry; isCurrent: boolean }) {
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
