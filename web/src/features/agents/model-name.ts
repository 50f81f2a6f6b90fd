import type { ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';
import { useTranslation } from 'react-i18next';
import { useListConnectionsQuery } from '../models/models.api.ts';

/** Names what an agent answers with: its connection and model, the built-in engine or the default. */
export function useModelName({ skip = false } = {}): (model: ModelChoice | null) => string {
  const { t } = useTranslation('agents');
  const { data: connections } = useListConnectionsQuery(undefined, { skip });
  return (model) => {
    if (!model) return t('form.model.standard');
    if (model.connectionId === null) return t('form.model.builtIn');
    const connection = connections?.find(({ id }) => id === model.connectionId);
    const missing = connections && t('form.model.deleted');
    const parts = [connection?.name ?? missing, model.model ?? connection?.models[0]];
    return parts.filter(Boolean).join(' · ');
  };
}
