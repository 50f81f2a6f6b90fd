import type { LoggedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { MorePages } from '../../app/more-pages.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { DetailsButton } from './details-button.tsx';
import { EntryValues } from './entry-values.tsx';
import { type EventHistorySubject, useListEventHistoryInfiniteQuery } from './event-history.api.ts';
import { useAuditWords } from './use-audit-words.ts';

/** What happened to something, when and by whom, newest first. */
export function EventHistory({ subject }: { subject: EventHistorySubject }) {
  const { t } = useTranslation('audit');
  const pages = useListEventHistoryInfiniteQuery(subject, { refetchOnMountOrArgChange: true });
  const { currentData, error, refetch } = pages;
  if (!currentData)
    return (
      <NotLoaded
        error={error}
        refetch={refetch}
        label={t('loading')}
        count={5}
        skeleton="h-12"
        className="flex flex-col gap-4"
      />
    );
  const events = currentData.pages.flatMap((page) => page.entries);
  return (
    <>
      <ol aria-label={t('history')} className="flex flex-col divide-y divide-line">
        {events.map((event) => (
          <Event key={event.sequence} event={event} />
        ))}
      </ol>
      <MorePages pages={pages} />
    </>
  );
}

function Event({ event }: { event: LoggedEvent }) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { type, at, actor, object, changes } = event;
  const amount =
    object.kind !== 'payment' && changes.find(({ field }) => field === 'amount')?.after;
  return (
    <li className="py-2 first:pt-0">
      <div className="flex items-center justify-between gap-4">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-x-2 font-medium">
            {words.event(type)}
            {typeof amount === 'number' && <Badge>{t('events.credits', { count: amount })}</Badge>}
          </h3>
          <p className="text-xs break-words text-muted">
            {words.actor(actor)} · <ExactTime at={at} />
          </p>
        </div>
        {changes.length > 0 && (
          <DetailsButton
            label={t('events.details', { event: words.event(type) })}
            details={details}
            isOpen={isOpen}
            setOpen={setOpen}
          />
        )}
      </div>
      {isOpen && (
        <div id={details} className="mt-2 rounded-md bg-sunken p-3">
          <EntryValues changes={changes} />
        </div>
      )}
    </li>
  );
}
