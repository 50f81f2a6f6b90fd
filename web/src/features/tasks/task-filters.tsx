import { TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { Search } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DayFilter } from '../../app/day-filter.tsx';
import { useTyped } from '../../app/use-address-filter.ts';
import { Button } from '../../ui/button.tsx';
import { IconInput } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { FILTER_NAMES, STATUS_CHOICES } from './task-filter.ts';
import type { TaskFilterState } from './use-task-filter.ts';

const QUERY_MAX = 200;

/** A search in the whole texts, and what else narrows the list. */
export function TaskFilters({ filter, change, clear }: TaskFilterState) {
  const { t } = useTranslation('tasks');
  const { data: agents = [] } = useListAgentsQuery();
  const isGone = filter.agentId !== undefined && !agents.some(({ id }) => id === filter.agentId);
  const [typed, setTyped] = useTyped(filter.q ?? '', (q) => change({ q }, 'typed'));
  const isFiltered = FILTER_NAMES.some((name) => filter[name]);
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))]">
        <IconInput
          icon={Search}
          type="search"
          className="col-span-2 sm:col-span-3 lg:col-span-1"
          maxLength={QUERY_MAX}
          aria-label={t('search')}
          placeholder={t('search')}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Select
          aria-label={t('filter')}
          value={filter.status ?? ''}
          onChange={({ target }) => change({ status: target.value }, 'chosen')}
          options={[
            { value: '', label: t('filters.all') },
            ...STATUS_CHOICES.map((value) => ({ value, label: t(`statuses.${value}`) })),
          ]}
        />
        <Select
          aria-label={t('columns.type')}
          value={filter.type ?? ''}
          onChange={({ target }) => change({ type: target.value }, 'chosen')}
          options={[
            { value: '', label: t('filters.allTypes') },
            ...TASK_TYPES.map((value) => ({ value, label: t(`types.${value}`) })),
          ]}
        />
        <Select
          className="max-sm:col-span-2"
          aria-label={t('columns.agent')}
          value={filter.agentId ?? ''}
          onChange={({ target }) => change({ agentId: target.value }, 'chosen')}
          options={[
            { value: '', label: t('filters.allAgents') },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
            ...(isGone ? [{ value: filter.agentId ?? '', label: t('unknownAgent') }] : []),
          ]}
        />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <DayFilter name="from" label={t('filters.from')} filter={filter} change={change} />
        <DayFilter name="to" label={t('filters.to')} filter={filter} change={change} />
        {isFiltered && <Button onClick={clear}>{t('filters.clear')}</Button>}
      </div>
    </div>
  );
}
