import type { AuditEntry, LoggedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { describeProblem } from '../../app/problem.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { ShortId } from '../../ui/icon-button.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { LedgerEntryLink } from '../credits/ledger-entry-link.tsx';
import { type EventHistorySubject, useListEventHistoryInfiniteQuery } from './audit.api.ts';
import { useAuditWords } from './audit-words.ts';
import { isBareId, objectsIn, type Value } from './named-objects.ts';
import { NamedObject } from './object-link.tsx';

/** What happened to something, when and by whom, newest first. */
export function EventHistory({ subject }: { subject: EventHistorySubject }) {
  const { t } = useTranslation('audit');
  const pages = useListEventHistoryInfiniteQuery(subject, { refetchOnMountOrArgChange: true });
  const { currentData } = pages;
  if (!currentData)
    return <NotLoaded query={pages} label={t('loading')} count={5} skeleton="h-12" />;
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
  const { type, at, actor, object, changes, ledgerEntry } = event;
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
            {ledgerEntry !== null && (
              <>
                {' · '}
                <LedgerEntryLink
                  sequence={ledgerEntry}
                  label={t('log.ledgerEntry', { sequence: ledgerEntry })}
                />
              </>
            )}
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

export function EventHistoryDialog({
  title,
  description,
  subject,
  close,
}: {
  title: string;
  description: string;
  subject: EventHistorySubject;
  close: () => void;
}) {
  return (
    <Dialog close={close} size="wide" title={title} description={description}>
      <DialogBody className="min-h-80 gap-0">
        <EventHistory subject={subject} />
      </DialogBody>
    </Dialog>
  );
}

/** Opens and closes what more is known of an entry; `details` is the id of that part. */
export function DetailsButton({
  label,
  details,
  isOpen,
  setOpen,
}: {
  label: string;
  details: string;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? details : undefined}
      aria-label={label}
      onClick={() => setOpen(!isOpen)}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted transition-colors duration-150 ease-out hover:bg-sunken hover:text-text"
    >
      <ChevronDown aria-hidden className={cx('size-4', isOpen && 'rotate-180')} />
    </button>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

/** Lists of ids and hashes. */
const COUNTED = ['ids', 'screenshots'];

function EntryValue({ field, value }: { field: string; value: Value }) {
  const { t, i18n } = useTranslation('audit');
  const words = useAuditWords();
  const lines = words.value(field, value);
  const objects = objectsIn(field, value);
  if (isBareId(value) && !objects) return <ShortId id={value} copyLabel={t('log.copy.object')} />;
  if (COUNTED.includes(field) && Array.isArray(value)) {
    return numberFormat(i18n.language).format(value.length);
  }
  if (!objects) return <span className="whitespace-pre-wrap">{lines.join('\n')}</span>;
  return objects.map((object) => <NamedObject key={object.id} object={object} />);
}

/** The values of what was said once, and is not changed. */
export function EntryValues({ changes }: Pick<AuditEntry, 'changes'>) {
  const { t } = useTranslation('problems');
  const words = useAuditWords();
  const params = changes.find(({ field }) => field === 'params')?.after ?? {};
  return (
    <dl className="flex flex-col gap-2">
      {changes.map(({ field, after }) => (
        <Fact key={field} name={words.field(field)}>
          {field === 'code' && typeof after === 'string' ? (
            describeProblem(t, { code: after, detail: after, params })
          ) : (
            <EntryValue field={field} value={after} />
          )}
        </Fact>
      ))}
    </dl>
  );
}
