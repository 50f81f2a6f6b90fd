import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { AgentModel, ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';
import type { TaskVariant } from '@tallyhand/contracts/features/tasks/tasks.events';
import { choiceOf } from './model-options.ts';

/** The value of an option that leaves the model to the version. */
export const OWN_MODEL = 'own';

/** What one answer is asked of. `option`: `OWN_MODEL`, or a model as an option. */
export type Column = { readonly key: number; readonly version: number; readonly option: string };

/** The column as the call takes it. */
export const variantOf = ({ version, option }: Omit<Column, 'key'>) => ({
  version,
  ...(option === OWN_MODEL ? {} : { model: choiceOf(option) }),
});

/** The columns that ask the same as an earlier one. */
export function repeatedIn(columns: readonly Omit<Column, 'key'>[]): number[] {
  const keys = columns.map(({ version, option }) => `${version} ${option}`);
  return keys.flatMap((key, at) => (keys.indexOf(key) < at ? [at] : []));
}

/** Columns for a first look: the version before, or without one a second choice of a model. */
export function firstColumns(version: number): Column[] {
  const current = { key: 1, version, option: OWN_MODEL };
  return version > 1
    ? [{ key: 0, version: version - 1, option: OWN_MODEL }, current]
    : [{ ...current, key: 0 }, current];
}

const isSame = (one: ModelChoice | null, other: ModelChoice | null) =>
  one === other ||
  (one !== null &&
    other !== null &&
    one.connectionId === other.connectionId &&
    one.model === other.model);

/** The model of a version with its default named, as a comparison names it. */
function named(model: AgentModel | null, modelsOf: (connectionId: string) => readonly string[]) {
  if (!model?.connectionId) return model && { connectionId: null, model: null };
  return {
    connectionId: model.connectionId,
    model: model.model ?? modelsOf(model.connectionId)[0] ?? null,
  };
}

type Texts = Pick<Agent, 'name' | 'description' | 'personaConfig' | 'model'>;

/** What the agent becomes by a variant: the texts of its version, and the model that answered. */
export function takenOver(
  { name, description, personaConfig, model }: Texts,
  { model: chosen }: Pick<TaskVariant, 'model'>,
  modelsOf: (connectionId: string) => readonly string[],
): Texts {
  const texts = { name, description, personaConfig };
  if (isSame(named(model, modelsOf), chosen)) return { ...texts, model };
  const { temperature = null, maxOutputTokens = null, reasoningEffort = null } = model ?? {};
  const fallback = model?.fallback ?? null;
  return {
    ...texts,
    model: chosen && {
      ...chosen,
      temperature,
      maxOutputTokens,
      reasoningEffort,
      fallback: isSame(fallback, chosen) ? null : fallback,
    },
  };
}
