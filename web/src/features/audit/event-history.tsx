import type { AuditEntry, LoggedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { LedgerEntryLink } from '../credits/ledger-entry-link.tsx';
import { type EventHistorySubject, useListEventHistoryInfiniteQuery } from './audit.api.ts';
import { linesOf } from './history-rows.ts';

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

/** The values of what was said once, and is not changed. */
export function EntryValues({ changes }: Pick<AuditEntry, 'changes'>) {
  const words = useAuditWords();
  return (
    <dl className="flex flex-col gap-2">
      {changes.map(({ field, after }) => (
        <Fact key={field} name={words.field(field)}>
          <span className="whitespace-pre-wrap">{words.value(field, after).join('\n')}</span>
        </Fact>
      ))}
    </dl>
  );
}

const SHORT_ID_LENGTH = 8;

/** Fields of events whose values are codes, which have words. */
const CODED = [
  'cause',
  'format',
  'kind',
  'outcome',
  'provider',
  'purpose',
  'rating',
  'reason',
  'role',
  'taskType',
  'testOutcome',
  'workType',
];

/** The words for entries of the audit log. An unknown code is shown as it is. */
export function useAuditWords() {
  const { t } = useTranslation('audit');
  const actorKind = (kind: string) =>
    t(`log.actors.${kind}` as 'log.actors.worker', { defaultValue: kind });
  const field = (name: string) =>
    t(`log.fields.${name}` as 'log.fields.amount', { defaultValue: name });
  const code = (of: string, text: string) =>
    CODED.includes(of)
      ? t(`log.values.${text}` as 'log.values.error', { defaultValue: text })
      : text;
  /** The lines of a value. Those of an object begin with the names of its fields. */
  function value(of: string, shown: AuditEntry['changes'][number]['after']): string[] {
    if (typeof shown === 'boolean') return [t(shown ? 'values.true' : 'values.false')];
    if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) {
      return linesOf(shown, (text) => code(of, text));
    }
    return Object.entries(shown).map(
      ([name, one]) => `${field(name)}: ${value(name, one).join('\n')}`,
    );
  }
  return {
    actorKind,
    field,
    value,
    kind: (kind: string) => t(`log.kinds.${kind}` as 'log.kinds.agent', { defaultValue: kind }),
    event: (type: string) =>
      t(`log.events.${type}` as 'log.events.AgentCreated', { defaultValue: type }),
    actor: ({ kind, name }: AuditEntry['actor']) =>
      name ?? (kind === 'member' ? t('formerMember') : actorKind(kind)),
    object: ({ kind, id, name }: AuditEntry['object']) =>
      name ??
      t('log.object', {
        kind: t(`log.objects.${kind}` as 'log.objects.agent', { defaultValue: kind }),
        id: id.slice(-SHORT_ID_LENGTH),
      }),
  };
}
