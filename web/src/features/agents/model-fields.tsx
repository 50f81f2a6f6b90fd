import {
  type AgentInput,
  type AgentModel,
  OUTPUT_TOKENS_MAX,
  REASONING_EFFORTS,
  TEMPERATURE_MAX,
} from '@tallyhand/contracts/features/agents/agents.fields';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type FormOf, useFieldMessage } from '../../app/form.ts';
import { Field, Input, Select } from '../../ui/field.tsx';
import { useListConnectionsQuery } from '../models/models.api.ts';
import { useWorkPrice } from '../models/work-price.ts';
import { BUILT_IN, choiceOf, optionOf, optionsOf } from './model-options.ts';

const UNSET = {
  temperature: null,
  maxOutputTokens: null,
  reasoningEffort: null,
  fallback: null,
};

/** Which model an agent answers with, and how. */
export function ModelFields({ form }: { form: FormOf<typeof AgentInput> }) {
  return (
    <Controller
      control={form.control}
      name="model"
      render={({ field, fieldState }) => (
        <Chosen
          value={(field.value ?? null) as AgentModel | null}
          onChange={field.onChange}
          errors={fieldState.error as Errors}
        />
      )}
    />
  );
}

type Errors = Partial<Record<keyof AgentModel, unknown>> | undefined;
type ChosenProps = {
  value: AgentModel | null;
  onChange: (value: AgentModel | null) => void;
  errors: Errors;
};

function Chosen({ value, onChange, errors }: ChosenProps) {
  const { t } = useTranslation('agents');
  const message = useFieldMessage();
  const { data: connections = [] } = useListConnectionsQuery();
  const choose = (option: string) => {
    const choice = choiceOf(option);
    onChange(choice && { ...UNSET, ...value, ...choice });
  };
  const set = (change: Partial<AgentModel>) => value && onChange({ ...value, ...change });
  const models = optionsOf(connections, [value, value?.fallback]);
  const builtIn = { value: BUILT_IN, label: t('form.model.builtIn') };
  return (
    <>
      <Field
        label={t('form.model.label')}
        help={<ModelHelp value={value} />}
        error={message(errors?.connectionId)}
      >
        <Select
          name="model"
          value={optionOf(value)}
          options={[{ value: '', label: t('form.model.standard') }, builtIn, ...models]}
          onChange={(event) => choose(event.target.value)}
        />
      </Field>
      {value && value.connectionId !== null && (
        <>
          <Field label={t('form.model.fallback')} help={t('form.model.fallbackHelp')}>
            <Select
              name="fallback"
              value={optionOf(value.fallback)}
              options={[{ value: '', label: t('form.model.noFallback') }, builtIn, ...models]}
              onChange={(event) => set({ fallback: choiceOf(event.target.value) })}
            />
          </Field>
          <div className="grid gap-4 sm:grid-cols-3">
            <Field label={t('form.model.temperature')} error={message(errors?.temperature)}>
              <Input
                name="temperature"
                type="number"
                min={0}
                max={TEMPERATURE_MAX}
                step="any"
                placeholder={t('form.model.unset')}
                value={value.temperature ?? ''}
                onChange={(event) => set({ temperature: numberOf(event.target.value) })}
              />
            </Field>
            <Field label={t('form.model.maxOutput')} error={message(errors?.maxOutputTokens)}>
              <Input
                name="maxOutputTokens"
                type="number"
                min={1}
                max={OUTPUT_TOKENS_MAX}
                placeholder={t('form.model.unset')}
                value={value.maxOutputTokens ?? ''}
                onChange={(event) => set({ maxOutputTokens: numberOf(event.target.value) })}
              />
            </Field>
            <Field label={t('form.model.effort')}>
              <Select
                name="reasoningEffort"
                value={value.reasoningEffort ?? ''}
                options={[
                  { value: '', label: t('form.model.unset') },
                  ...REASONING_EFFORTS.map((effort) => ({
                    value: effort,
                    label: t(`form.model.efforts.${effort}`),
                  })),
                ]}
                onChange={({ target }) =>
                  set({
                    reasoningEffort: REASONING_EFFORTS.find((one) => one === target.value) ?? null,
                  })
                }
              />
            </Field>
          </div>
        </>
      )}
    </>
  );
}

/** Where models come from, and the price of this one if it differs from that of others. */
function ModelHelp({ value }: { value: AgentModel | null }) {
  const { t } = useTranslation('agents');
  const count = useWorkPrice('task', value) ?? 1;
  const help = t('form.model.help');
  return count === 1 ? help : `${t('form.model.price', { count })} ${help}`;
}

const numberOf = (text: string) => (text === '' ? null : Number(text));
