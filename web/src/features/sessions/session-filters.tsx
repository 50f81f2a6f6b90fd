import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { FILTER_NAMES } from './session-filter.ts';
import type { SessionFilterState } from './use-session-address.ts';

export function SessionFilters({ filter, change, clear }: SessionFilterState) {
  const { t } = useTranslation('sessions');
  const { data: agents = [] } = useListAgentsQuery();
  const isGone = filter.agentId !== undefined && !agents.some(({ id }) => id === filter.agentId);
  const isFiltered = FILTER_NAMES.some((name) => filter[name]);
  return (
    <div className="flex flex-wrap gap-3">
      <Select
        className="min-w-36 max-sm:flex-1 sm:w-44"
        aria-label={t('filters.status')}
        value={filter.status ?? ''}
        onChange={({ target }) => change({ status: target.value }, 'chosen')}
        options={[
          { value: '', label: t('filters.allStatuses') },
          ...SESSION_STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) })),
        ]}
      />
      <Select
        className="min-w-36 max-sm:flex-1 sm:w-56"
        aria-label={t('filters.agent')}
        value={filter.agentId ?? ''}
        onChange={({ target }) => change({ agentId: target.value }, 'chosen')}
        options={[
          { value: '', label: t('filters.allAgents') },
          ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ...(isGone ? [{ value: filter.agentId ?? '', label: t('unknownAgent') }] : []),
        ]}
      />
      {isFiltered && <Button onClick={clear}>{t('filters.clear')}</Button>}
    </div>
  );
}
