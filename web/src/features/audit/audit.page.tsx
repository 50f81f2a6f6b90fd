import { AUDIT_KINDS, listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { Download, Search } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { DayFilter } from '../../app/day-filter.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { part } from '../../app/part.ts';
import { useSearchParam, useTyped } from '../../app/use-address.ts';
import { useTimeOrder } from '../../app/use-sort.ts';
import { Button } from '../../ui/button.tsx';
import { IconInput, Select } from '../../ui/field.tsx';
import type { TableSort } from '../../ui/sort.ts';
import { SortSelect } from '../../ui/table.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { useListMembersQuery } from '../team/team.api.ts';
import { type AuditFilterState, useAuditFilter } from './audit-filter.ts';
import { AuditList } from './audit-list.tsx';
import { useAuditWords } from './event-history.tsx';

const ExportsDialog = part(
  [],
  ['audit', 'problems'],
  async () => (await import('./exports-dialog.tsx')).ExportsDialog,
);

/**
 * `?q=`, `?actor=` and others filter, `?sort=` sorts, `?live=on` lets new entries come by themselves,
 * and `?exports=open` shows the exports.
 */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const instead = {
    title: t('log.restricted.title'),
    description: t('log.restricted.description'),
  };
  return (
    <RestrictedPage needs={listAuditEntries} title={t('log.title')} instead={instead}>
      <Log />
    </RestrictedPage>
  );
}

function Log() {
  const { t } = useTranslation('audit');
  const state = useAuditFilter();
  const { sort, order } = useTimeOrder('sort', 'time');
  const [live, setLive] = useSearchParam('live');
  const [exports, setExports] = useSearchParam('exports');
  return (
    <Page
      title={t('log.title')}
      description={t('log.description')}
      action={
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <Switch
            label={t('log.live')}
            checked={live === 'on'}
            onCheckedChange={(isOn) => setLive(isOn ? 'on' : '')}
          />
          <Button icon={Download} onClick={() => setExports('open')}>
            {t('exports.action')}
          </Button>
        </div>
      }
    >
      <AuditFilters {...state} sort={sort} />
      <AuditList {...state} order={order} live={live === 'on'} />
      {exports === 'open' && (
        <Suspense>
          <ExportsDialog filter={state.filter} close={() => setExports('')} />
        </Suspense>
      )}
    </Page>
  );
}

const QUERY_MAX = 200;
const ACTOR_KINDS = ['operator', 'payment-provider', 'visitor', 'worker', 'reaction'] as const;

/** Words that are looked for, what else narrows the list, and its order. */
function AuditFilters({ sort, ...state }: AuditFilterState & { sort: TableSort }) {
  const { t } = useTranslation('audit');
  const { filter, change, clear } = state;
  const [typed, setTyped] = useTyped(filter.q ?? '', (q) => change({ q }, 'typed'));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-[minmax(0,2fr)_repeat(2,minmax(0,1fr))]">
        <IconInput
          icon={Search}
          type="search"
          className="col-span-2 lg:col-span-1"
          maxLength={QUERY_MAX}
          aria-label={t('log.search')}
          placeholder={t('log.search')}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <ActorSelect {...state} />
        <KindSelect {...state} />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <DayFilter name="from" label={t('log.from')} {...state} />
        <DayFilter name="to" label={t('log.to')} {...state} />
        {filter.object && (
          <Button onClick={() => change({ object: '' }, 'chosen')}>{t('log.anyObject')}</Button>
        )}
        {isFiltered && <Button onClick={clear}>{t('log.clear')}</Button>}
        <SortSelect
          className="ml-auto max-sm:w-full"
          sort={sort}
          columns={[{ key: 'time', header: t('log.time'), sortBy: { time: () => null } }]}
        />
      </div>
    </div>
  );
}

function ActorSelect({ filter, change }: AuditFilterState) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const { data: members = [] } = useListMembersQuery();
  const known: readonly string[] = [...members.map(({ id }) => id), ...ACTOR_KINDS];
  const isGone = filter.actor !== undefined && !known.includes(filter.actor);
  return (
    <Select
      aria-label={t('log.actor')}
      value={filter.actor ?? ''}
      onChange={({ target }) => change({ actor: target.value }, 'chosen')}
      options={[
        { value: '', label: t('log.anyone') },
        ...members.map(({ id, username }) => ({ value: id, label: username })),
        ...ACTOR_KINDS.map((kind) => ({ value: kind, label: words.actorKind(kind) })),
        ...(isGone ? [{ value: filter.actor ?? '', label: t('formerMember') }] : []),
      ]}
    />
  );
}

/** Kinds of objects; a type of event too once one is chosen at an entry. */
function KindSelect({ filter, change }: AuditFilterState) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const isType = filter.kind !== undefined && !AUDIT_KINDS.some((kind) => kind === filter.kind);
  return (
    <Select
      aria-label={t('log.kind')}
      value={filter.kind ?? ''}
      onChange={({ target }) => change({ kind: target.value }, 'chosen')}
      options={[
        { value: '', label: t('log.anything') },
        ...(isType ? [{ value: filter.kind ?? '', label: words.event(filter.kind ?? '') }] : []),
        ...AUDIT_KINDS.map((kind) => ({ value: kind, label: words.kind(kind) })),
      ]}
    />
  );
}
