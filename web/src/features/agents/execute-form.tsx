import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import { ExecuteInput, TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { ExecutionResultCard } from './execution-result.tsx';
import { useExecution } from './use-execution.ts';
import { useMeans } from './use-means.ts';

/** An empty choice leaves it to the agent. */
const Chosen = z.union([z.literal('').transform(() => undefined), z.uuid()]);
const Wanted = ExecuteInput.extend({ playbookId: Chosen, toolId: Chosen }).transform(
  ({ playbookId, toolId, ...rest }) => ({
    ...rest,
    ...(rest.type === 'playbook' && playbookId && { playbookId }),
    ...(rest.type === 'tool_run' && toolId && { toolId }),
  }),
);

const EMPTY = { input: '', type: 'query', playbookId: '', toolId: '' } as const;

/** What a form of instructions is made of: its values, its work, and whether it can begin. */
export function useExecuteForm(agent: Agent) {
  const { t } = useTranslation('agents');
  const form = useContractForm(Wanted, EMPTY);
  const { run, processing, execution } = useExecution(agent.id);
  const { data: organization } = useGetOrganizationQuery();
  const available = organization?.creditBalance ?? 0;
  const { submit } = useSubmit(form, {
    send: (wanted) => (processing ? undefined : run(wanted)),
    failed: { title: t('toasts.taskFailed'), description: t('toasts.taskFailedDescription') },
    onInvalid: () => {
      // Instructions that are too long are there: their field says what is wrong.
      if (form.getValues('input').trim() !== '') return;
      showToast({
        variant: 'destructive',
        title: t('toasts.inputRequired'),
        description: t('toasts.inputRequiredDescription'),
      });
    },
  });
  const mayRun = available >= PRICE_OF.task;
  return { agent, form, submit, processing, execution, available, mayRun };
}

export type ExecuteFormState = ReturnType<typeof useExecuteForm>;

/** Instructions, the type of the task, and by which playbook or tool. */
export function ExecuteFields({ agent, form, processing, execution, ...rest }: ExecuteFormState) {
  const { t } = useTranslation('agents');
  const { t: ofTasks } = useTranslation('tasks');
  const message = useFieldMessage();
  const { register, formState, watch } = form;
  const type = watch('type') ?? 'query';
  const means = useMeans(agent.id, type);
  const automatic = { value: '', label: t('execute.automatic') };
  return (
    <>
      <Field
        label={t('execute.input')}
        help={t('execute.help')}
        error={message(formState.errors.input)}
        required
      >
        <Textarea
          rows={4}
          readOnly={processing}
          placeholder={t('execute.inputPlaceholder')}
          {...register('input')}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('execute.type')} error={message(formState.errors.type)}>
          <Select
            disabled={processing}
            options={TASK_TYPES.map((one) => ({ value: one, label: ofTasks(`types.${one}`) }))}
            {...register('type')}
          />
        </Field>
        {means && means.options.length > 1 && (
          <Field label={t(`execute.${means.field}`)} error={message(formState.errors[means.field])}>
            <Select
              key={means.field}
              disabled={processing}
              options={[automatic, ...means.options]}
              {...register(means.field)}
            />
          </Field>
        )}
      </div>
      {means?.options.length === 0 && !processing && (
        <Banner tone="warning">{t(`execute.none.${means.field}`)}</Banner>
      )}
      {!rest.mayRun && !processing && !execution && (
        <Banner tone="warning">{t('execute.noCredits', { available: rest.available })}</Banner>
      )}
    </>
  );
}

/** The work as it goes on, then how it ended. */
export function ExecuteOutcome({ agent, processing, execution }: ExecuteFormState) {
  const { t } = useTranslation('agents');
  return (
    <div aria-live="polite" className="contents">
      {processing && (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> {t('execute.processing', { name: agent.name })}
        </p>
      )}
      {execution && <ExecutionResultCard execution={execution} />}
    </div>
  );
}
