import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { ScrollText } from 'lucide-react';
import { Fragment, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NothingFound } from '../../app/list-filters.tsx';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { ShortId } from '../../ui/icon-button.tsx';
import { Link } from '../../ui/link.tsx';
import { ItemsAway } from '../../ui/row-cards.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useLongList } from '../../ui/use-long-list.ts';
import type { VersionedKind } from './audit.api.ts';
import type { AuditFilterState } from './audit-filter.ts';
import { useFindAuditEntriesInfiniteQuery } from './audit-log.api.ts';
import { historyAddressOf } from './audited-address.ts';
import { DetailsButton, EntryValues, Fact, useAuditWords } from './event-history.tsx';
import { HistoryChanges } from './history-change.tsx';

type Change = AuditFilterState['change'];

type AuditListProps = AuditFilterState & { order: Order; live: boolean };

/** The entries that a filter finds, page by page. */
export function AuditList({ filter, change, clear, order, live }: AuditListProps) {
  const { t } = useTranslation('audit');
  const pages = useFindAuditEntriesInfiniteQuery(
    { filter, order, live },
    { refetchOnMountOrArgChange: true },
  );
  const { currentData } = pages;
  if (!currentData)
    return <NotLoaded query={pages} label={t('log.loading')} count={10} skeleton="h-8" />;
  const entries = currentData.pages.flatMap((page) => page.entries);
  return (
    <CardSection title={t('log.entries')}>
      {entries.length === 0 && <NoEntries none={Object.keys(filter).length === 0} clear={clear} />}
      <Entries entries={entries} change={change} />
      <MorePages pages={pages} />
    </CardSection>
  );
}

/** In pixels, until an entry was measured. */
const ENTRY_HEIGHT = 53;

function Entries({ entries, change }: { entries: readonly AuditEntry[]; change: Change }) {
  const { t } = useTranslation('audit');
  // Kept here: an entry that was scrolled away from is open when one comes back.
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const { rows, gapAfter, list, measure } = useLongList(entries.length, ENTRY_HEIGHT);
  return (
    <ol ref={list} aria-label={t('log.entries')} className="flex flex-col divide-y divide-line">
      {rows.map(({ index, gap }) => {
        const entry = entries[index];
        if (!entry) return null;
        const { sequence } = entry;
        return (
          <Fragment key={sequence}>
            <ItemsAway height={gap} />
            <li
              ref={measure}
              data-index={index}
              {...(measure && { 'aria-posinset': index + 1, 'aria-setsize': entries.length })}
            >
              <Entry
                entry={entry}
                change={change}
                isOpen={open.has(sequence)}
                setOpen={(isOpen) => setOpen(withOrWithout(open, sequence, isOpen))}
              />
            </li>
          </Fragment>
        );
      })}
      <ItemsAway height={gapAfter} />
    </ol>
  );
}

const withOrWithout = (open: ReadonlySet<number>, sequence: number, isOpen: boolean) =>
  new Set(isOpen ? [...open, sequence] : [...open].filter((each) => each !== sequence));

function NoEntries({ none, clear }: { none: boolean; clear: () => void }) {
  const { t } = useTranslation('audit');
  const title = t('log.empty.title');
  if (!none)
    return <NothingFound title={title} description={t('log.empty.noMatch')} clear={clear} />;
  return <EmptyState icon={ScrollText} title={title} description={t('log.empty.description')} />;
}

const COLUMNS = cx(
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2',
  'md:grid-cols-[7.5rem_9rem_minmax(0,1fr)_8rem_auto]',
);

type EntryProps = {
  entry: AuditEntry;
  change: Change;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
};

function Entry({ entry, change, isOpen, setOpen }: EntryProps) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const details = useId();
  const { at, actor, type, count, address } = entry;
  return (
    <>
      <div className={COLUMNS}>
        <span className="text-xs text-muted max-md:order-3 md:text-sm">
          <RelativeTime at={at} />
          <span className="md:hidden"> · {words.actor(actor)}</span>
        </span>
        <span className="truncate max-md:hidden" title={words.actor(actor)}>
          {words.actor(actor)}
        </span>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="font-medium">{words.event(type)}</span>
          {count > 1 && <Badge>{t('log.times', { count })}</Badge>}
          <ObjectLink object={entry.object} />
        </span>
        <span className="truncate font-mono text-xs text-muted max-md:hidden">{address}</span>
        <DetailsButton
          label={t('log.details', { sequence: entry.sequence })}
          details={details}
          isOpen={isOpen}
          setOpen={setOpen}
        />
      </div>
      {isOpen && (
        <div id={details} className="mb-3 rounded-md bg-sunken p-4">
          <AuditEntryDetails entry={entry} change={change} />
        </div>
      )}
    </>
  );
}

function ObjectLink({ object }: { object: AuditEntry['object'] }) {
  const name = useAuditWords().object(object);
  const address = historyAddressOf(object);
  if (!address) return <span className="min-w-0 truncate text-muted">{name}</span>;
  return (
    <Link
      to={address}
      title={name}
      className="min-w-0 truncate rounded-sm text-accent underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}

/** The kinds that have a history: their changes are shown as there. */
const HISTORIES: Readonly<Record<string, VersionedKind>> = {
  agent: 'agents',
  article: 'knowledge',
  playbook: 'playbooks',
  tool: 'tools',
};

/** All that is known of an entry, and ways to what belongs to it. */
function AuditEntryDetails({
  entry,
  change,
}: {
  entry: AuditEntry;
  change: AuditFilterState['change'];
}) {
  const { t } = useTranslation('audit');
  const { type, object, correlationId, changes } = entry;
  const kind = HISTORIES[object.kind];
  const only = { q: '', actor: '', kind: '', object: '', period: '', from: '', to: '' };
  return (
    <div className="flex flex-col gap-4">
      <Facts entry={entry} />
      {changes.length > 0 && (
        <section aria-label={t('log.changes')}>
          {kind ? (
            <HistoryChanges kind={kind} changes={changes} />
          ) : (
            <EntryValues changes={changes} />
          )}
        </section>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => change({ ...only, q: correlationId }, 'chosen')}>
          {t('log.onlyCall')}
        </Button>
        <Button size="sm" onClick={() => change({ ...only, object: object.id }, 'chosen')}>
          {t('log.onlyObject')}
        </Button>
        <Button size="sm" onClick={() => change({ ...only, kind: type }, 'chosen')}>
          {t('log.onlyType')}
        </Button>
      </div>
    </div>
  );
}

function Facts({ entry }: { entry: AuditEntry }) {
  const { t, i18n } = useTranslation('audit');
  const words = useAuditWords();
  const { sequence, at, actor, address, object, signInId } = entry;
  const time = dateFormat(i18n.language, {
    dateStyle: 'full',
    timeStyle: 'medium',
  }).format(new Date(at));
  const ids = {
    event: entry.id,
    call: entry.correlationId,
    cause: entry.causationId,
    signIn: signInId,
    object: object.id,
    actor: actor.id,
  };
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      <Fact name={t('log.time')}>
        <time dateTime={at}>{time}</time>
      </Fact>
      <Fact name={t('log.sequence')}>
        <span className="tabular">{numberFormat(i18n.language).format(sequence)}</span>
      </Fact>
      <Fact name={t('log.actor')}>{words.actor(actor)}</Fact>
      <Fact name={t('log.about')}>{words.object(object)}</Fact>
      {address && (
        <Fact name={t('log.address')}>
          <span className="font-mono">{address}</span>
        </Fact>
      )}
      {Object.entries(ids).map(
        ([name, id]) =>
          id && (
            <Fact key={name} name={t(`log.ids.${name}` as 'log.ids.event')}>
              <ShortId id={id} copyLabel={t(`log.copy.${name}` as 'log.copy.event')} />
            </Fact>
          ),
      )}
    </dl>
  );
}
