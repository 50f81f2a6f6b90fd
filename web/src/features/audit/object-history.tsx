import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { History } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { MorePages } from '../../app/more-pages.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useListHistoryInfiniteQuery, type VersionedKind } from './audit.api.ts';
import { HistoryChanges } from './history-change.tsx';
import { HistoryEntryHead } from './history-entry-head.tsx';
import { ObjectThen, type ObjectThenProps } from './object-then.tsx';
import { RestoreVersionDialog } from './restore-version-dialog.tsx';

export type ObjectHistoryProps = {
  kind: VersionedKind;
  id: string;
  /** Whether the user may change the object. */
  canRestore: boolean;
  /** The version in use; absent for a deleted object. */
  currentVersion: number | undefined;
} & Pick<ObjectThenProps, 'renderContent'>;

/** Who changed an object, when and what, newest first; older versions can be brought back. */
export function ObjectHistory(props: ObjectHistoryProps) {
  const { kind, id, canRestore, currentVersion, renderContent } = props;
  const { t } = useTranslation('audit');
  const [restoring, setRestoring] = useState<number>();
  const pages = useListHistoryInfiniteQuery({ kind, id });
  const { currentData, error, refetch } = pages;
  if (!currentData)
    return (
      <NotLoaded
        error={error}
        refetch={refetch}
        label={t('loading')}
        count={4}
        skeleton="h-16 rounded-lg"
        className="flex flex-col gap-4"
      />
    );
  const entries = currentData.pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <EmptyState icon={History} title={t('empty.title')} description={t('empty.description')} />
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <ObjectThen kind={kind} id={id} entries={entries} renderContent={renderContent} />
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
      <MorePages pages={pages} />
      {restoring !== undefined && (
        <RestoreVersionDialog
          kind={kind}
          id={id}
          version={restoring}
          close={() => setRestoring(undefined)}
        />
      )}
    </div>
  );
}

type EntryProps = {
  kind: VersionedKind;
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
        <HistoryEntryHead entry={entry} isCurrent={isCurrent} />
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
