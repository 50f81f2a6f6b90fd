import type { ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';
import type { Connection } from '@tallyhand/contracts/features/models/models.endpoints';
import { useTranslation } from 'react-i18next';
import { useListConnectionsQuery } from '../models/models.api.ts';

export const BUILT_IN = 'built-in';

/** A choice as the value of an option; empty for none. */
export function optionOf(choice: ModelChoice | null | undefined): string {
  if (!choice) return '';
  const { connectionId, model } = choice;
  return connectionId === null ? BUILT_IN : JSON.stringify([connectionId, model]);
}

export function choiceOf(option: string): ModelChoice | null {
  if (option === '') return null;
  if (option === BUILT_IN) return { connectionId: null, model: null };
  const [connectionId, model] = JSON.parse(option) as [string, string | null];
  return { connectionId, model };
}

/** The models of all connections, and those that are chosen although no connection has them now. */
export function optionsOf(
  connections: readonly Connection[],
  chosen: readonly (ModelChoice | null | undefined)[],
) {
  const known = connections.flatMap(({ id, name, models }) =>
    models.map((model) => ({
      value: optionOf({ connectionId: id, model }),
      label: `${name} · ${model}`,
    })),
  );
  const missing = chosen.flatMap((choice) => {
    if (!choice || choice.connectionId === null) return [];
    const value = optionOf(choice);
    if (known.some((option) => option.value === value)) return [];
    const connection = connections.find(({ id }) => id === choice.connectionId);
    const names = [connection?.name, choice.model ?? connection?.models[0]];
    return [{ value, label: names.filter((name) => name !== undefined).join(' · ') || value }];
  });
  return [
    ...known,
    ...missing.filter(({ value }, at, all) => all.findIndex((one) => one.value === value) === at),
  ];
}

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
