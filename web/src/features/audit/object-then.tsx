import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { useSettled } from '../../app/use-settled.ts';
import { Button } from '../../ui/button.tsx';
import { Slider } from '../../ui/slider.tsx';
import { exactTime } from '../../ui/time.tsx';
import { useGetAsOfQuery, type VersionedKind } from './audit.api.ts';
import { HistoryEntryHead } from './history-entry-head.tsx';
import { linesOf } from './history-rows.ts';
import { assignedThen, type FieldValue, fieldsOf } from './object-fields.ts';
import { useHistoryWords } from './use-history-words.ts';

export type ObjectThenProps = {
  kind: VersionedKind;
  id: string;
  /** Newest first. */
  entries: readonly HistoryEntry[];
  /** How its long text is shown; without it as it stands. */
  renderContent?: (content: string) => ReactNode;
};

/** A slider over the changes of an object, and the object as it was after the chosen one. */
export function ObjectThen({ entries, ...object }: ObjectThenProps) {
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
  assigned: ReturnType<typeof assignedThen>;
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
        error={isSettled && error}
        refetch={refetch}
        label={t('then.loading')}
        count={6}
        skeleton="h-6"
        className="flex flex-col gap-4"
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
  const { fieldName, valueName } = useHistoryWords(kind);
  const lines = linesOf(value, (text) => valueName(field, text));
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
