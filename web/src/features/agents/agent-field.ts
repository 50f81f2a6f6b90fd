import { useTranslation } from 'react-i18next';
import type { FilterField } from '../../ui/filters.ts';
import { useListAgentsQuery } from './agents.api.ts';

/** Filters a list by an agent; a deleted one may be in its address. */
export function useAgentField(label: string): FilterField {
  const { t } = useTranslation('lists');
  const { data: agents = [] } = useListAgentsQuery();
  return {
    name: 'agentId',
    label,
    options: agents.map(({ id, name }) => ({ value: id, label: name })),
    unknown: () => t('filters.deleted'),
  };
}
