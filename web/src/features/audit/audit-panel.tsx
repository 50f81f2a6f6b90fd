import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed, MorePages } from '../../app/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { ShortId } from '../../ui/icon-button.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { type RowSteps, SidePanel } from '../../ui/side-panel.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { LedgerEntryLink } from '../credits/ledger-entry-link.tsx';
import type { VersionedKind } from './audit.api.ts';
import type { AuditFilterState } from './audit-filter.ts';
import type { AuditGroup } from './audit-groups.ts';
import { useFindAuditEntriesInfiniteQuery } from './audit-log.api.ts';
import { useAuditWords } from './audit-words.ts';
import { DetailsButton, EntryValues, Fact } from './event-history.tsx';
import { HistoryChanges } from './history-change.tsx';
import { ObjectLink } from './object-link.tsx';

type Change = AuditFilterState['change'];

type AuditPanelProps = {
  /** The correlation id. */
  id: string;
  /** What the list has of the request. */
  listed: AuditGroup | undefined;
  change: Change;
  steps: RowSteps;
  close: () => void;
};

/** Everything that one request caused, in the order in which it happened. */
export function AuditPanel({ id, listed, change, steps, close }: AuditPanelProps) {
  const { t } = useTranslation('audit');
  const pages = useFindAuditEntriesInfiniteQuery(
    { filter: { q: id }, order: 'oldest', live: true },
    { refetchOnMountOrArgChange: true },
  );
  const { currentData, error, refetch } = pages;
  // The search also finds entries that only mention the id.
  const found = currentData?.pages
    .flatMap((page) => page.entries)
    .filter(({ correlationId }) => correlationId === id);
  const known = listed?.entries.toSorted((a, b) => a.sequence - b.sequence);
  const entries = found ?? known;
  return (
    <SidePanel rowKey={id} title={t('log.request')} steps={steps} close={close}>
      <DialogBody>
        {!entries && error && <LoadFailed error={error} onRetry={refetch} />}
        {!entries && !error && (
          <Loading label={t('log.loading')} className="flex flex-col gap-3">
            <Skeletons count={3} className="h-12" />
          </Loading>
        )}
        {entries?.length === 0 && <Banner tone="warning">{t('log.notFound')}</Banner>}
        {entries && entries.length > 0 && (
          <ol aria-label={t('log.events')} className="flex flex-col divide-y divide-line">
            {entries.map((entry) => (
              <Entry
                key={entry.sequence}
                entry={entry}
                change={change}
                isAlone={entries.length === 1}
              />
            ))}
          </ol>
        )}
        {found && found.length > 0 && <MorePages pages={pages} />}
      </DialogBody>
      {entries && entries.length > 1 && (
        <DialogFooter>
          <Button onClick={() => change({ ...NO_FILTER, request: '', q: id }, 'chosen')}>
            {t('log.onlyCall')}
          </Button>
        </DialogFooter>
      )}
    </SidePanel>
  );
}

type EntryProps = {
  entry: AuditEntry;
  change: Change;
  /** The only one of its request, which is open at first. */
  isAlone: boolean;
};

function Entry({ entry, change, isAlone }: EntryProps) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const details = useId();
  const [chosen, setOpen] = useState<boolean>();
  const isOpen = chosen ?? isAlone;
  const { type, count, object, actor, at, sequence } = entry;
  return (
    <li className="py-3 first:pt-0">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">{words.event(type)}</span>
            {count > 1 && <Badge>{t('log.times', { count })}</Badge>}
            <ObjectLink object={object} />
          </h3>
          <p className="mt-0.5 text-xs break-words text-muted">
            {words.actor(actor)} · <ExactTime at={at} />
          </p>
        </div>
        <DetailsButton
          label={t('log.details', { sequence })}
          details={details}
          isOpen={isOpen}
          setOpen={setOpen}
        />
      </div>
      {isOpen && (
        <div id={details} className="mt-2 rounded-md bg-sunken p-4">
          <AuditEntryDetails entry={entry} change={change} />
        </div>
      )}
    </li>
  );
}

/** The kinds that have a history: their changes are shown as there. */
const HISTORIES: Readonly<Record<string, VersionedKind>> = {
  agent: 'agents',
  article: 'knowledge',
  connection: 'models',
  playbook: 'playbooks',
  tool: 'tools',
};

const NO_FILTER = { q: '', actor: '', kind: '', object: '', period: '', from: '', to: '' };

/** All that is known of an entry, and ways to what belongs to it. */
function AuditEntryDetails({ entry, change }: { entry: AuditEntry; change: Change }) {
  const { t } = useTranslation('audit');
  const { type, object, changes } = entry;
  const kind = HISTORIES[object.kind];
  // The panel would cover what is found.
  const only = { ...NO_FILTER, request: '' };
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
  const { sequence, at, actor, address, object, signInId, ledgerEntry } = entry;
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
    <dl className="flex flex-col gap-2">
      <Fact name={t('log.time')}>
        <time dateTime={at}>{time}</time>
      </Fact>
      <Fact name={t('log.sequence')}>
        <span className="tabular">{numberFormat(i18n.language).format(sequence)}</span>
      </Fact>
      <Fact name={t('log.actor')}>{words.actor(actor)}</Fact>
      <Fact name={t('log.about')}>
        <ObjectLink object={object} />
      </Fact>
      {ledgerEntry !== null && (
        <Fact name={words.kind('ledger')}>
          <LedgerEntryLink
            sequence={ledgerEntry}
            label={t('log.ledgerEntry', { sequence: ledgerEntry })}
          />
        </Fact>
      )}
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
