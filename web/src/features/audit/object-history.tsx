import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { History } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Slider, useSettled } from '../../ui/slider.tsx';
import { exactTime, RelativeTime } from '../../ui/time.tsx';
import {
  useGetAsOfQuery,
  useListHistoryInfiniteQuery,
  useRestoreMutation,
  type VersionedKind,
} from './audit.api.ts';
import { HistoryChanges, useHistoryWords } from './history-change.tsx';
import { linesOf } from './history-rows.ts';
import { assignedThen, type FieldValue, fieldsOf, type ObjectField } from './object-fields.ts';

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
  const { currentData } = pages;
  if (!currentData)
    return <NotLoaded query={pages} label={t('loading')} count={4} skeleton="h-16 rounded-lg" />;
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

type ObjectThenProps = {
  kind: VersionedKind;
  id: string;
  /** Newest first. */
  entries: readonly HistoryEntry[];
  /** How its long text is shown; without it as it stands. */
  renderContent?: (content: string) => ReactNode;
};

/** A slider over the changes of an object, and the object as it was after the chosen one. */
function ObjectThen({ entries, ...object }: ObjectThenProps) {
  const { t, i18n } = useTranslation('audit');
  const [chosen, setChosen] = useState<string>();
  const newest = entries.length - 1;
  const index = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  );
  const entry = entries[index];
  if (!entry || newest === 0) return null;
  const time = exactTime(entry.createdAt, i18n.language);
  return (
    <div className="flex flex-col gap-2">
      <Slider
        label={t('then.title')}
        max={newest}
        value={newest - index}
        valueText={index === 0 ? t('then.now') : time}
        onChange={(stop) => setChosen(entries[newest - stop]?.id)}
      />
      {chosen !== undefined && (
        <>
          <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <HistoryEntryHead entry={entry} isCurrent={index === 0} />
            <Button size="sm" onClick={() => setChosen(undefined)}>
              {t('then.back')}
            </Button>
          </div>
          <section
            aria-label={t('then.object', { time })}
            className="min-h-80 rounded-md border border-line bg-surface p-4"
          >
            <Then {...object} entry={entry} assigned={assignedThen(entries, index)} />
          </section>
        </>
      )}
    </div>
  );
}

type ThenProps = Omit<ObjectThenProps, 'entries'> & {
  entry: HistoryEntry;
  assigned: readonly ObjectField[];
};

function Then({ kind, id, entry, assigned, renderContent }: ThenProps) {
  const { t } = useTranslation('audit');
  const wasDeleted = entry.kind === 'deleted';
  // Two changes may have the same time, but not the same place.
  const place = entry.sequence === null ? entry.createdAt : String(entry.sequence);
  const asOf = useSettled(place);
  const { currentData, error, refetch } = useGetAsOfQuery({ kind, id, asOf }, { skip: wasDeleted });
  if (wasDeleted) return <p className="text-muted">{t('then.deleted')}</p>;
  const isSettled = asOf === place;
  if (!isSettled || !currentData) {
    return (
      <NotLoaded
        query={{ error: isSettled && error, refetch }}
        label={t('then.loading')}
        count={6}
        skeleton="h-6"
      />
    );
  }
  return (
    <dl className="flex flex-col gap-3">
      {[...fieldsOf(currentData), ...assigned].map(([field, value]) => (
        <Field key={field} kind={kind} field={field} value={value} renderContent={renderContent} />
      ))}
    </dl>
  );
}

function Field({
  kind,
  field,
  value,
  renderContent,
}: Pick<ObjectThenProps, 'kind' | 'renderContent'> & { field: string; value: FieldValue }) {
  const { t } = useTranslation('audit');
  const { fieldName, valueName, named } = useHistoryWords(kind);
  const lines = linesOf(named(field, value), (text) => valueName(field, text));
  const isContent = field === 'content' && typeof value === 'string';
  return (
    <div className="min-w-0">
      <dt className="text-xs font-medium text-muted">{fieldName(field)}</dt>
      <dd className="mt-0.5 break-words whitespace-pre-wrap">
        {isContent && renderContent ? (
          <div className="whitespace-normal">{renderContent(value)}</div>
        ) : (
          lines.join('\n') || t('then.nothing')
        )}
      </dd>
    </div>
  );
}

/** Makes an older version the newest, after asking. */
function RestoreVersionDialog({
  kind,
  id,
  version,
  close,
}: {
  kind: VersionedKind;
  id: string;
  version: number;
  close: () => void;
}) {
  const { t } = useTranslation('audit');
  const [restore] = useRestoreMutation();
  return (
    <ConfirmAction
      variant="primary"
      title={t('restore.title', { version })}
      description={
        kind === 'tools'
          ? `${t('restore.description')} ${t('restore.credentials')}`
          : t('restore.description')
      }
      confirmLabel={t('restore.confirm')}
      run={() => restore({ kind, id, version })}
      announcement={{ done: t('restore.done', { version }), failed: t('restore.failed') }}
      staysOnFailure
      close={close}
    />
  );
}

/** What kind of change it was, which version it led to, who made it, and when. */
function HistoryEntryHead({ entry, isCurrent }: { entry: HistoryEntry; isCurrent: boolean }) {
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
