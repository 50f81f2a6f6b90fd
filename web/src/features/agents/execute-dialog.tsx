import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { TASK_PRICE } from '@tallyhand/contracts/features/credits/credits.prices';
import { ExecuteInput } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { ExecutionResultCard } from './execution-result.tsx';
import { useExecution } from './use-execution.ts';

const Instructions = ExecuteInput.pick({ input: true });

function useExecuteForm(agentId: string) {
  const { t } = useTranslation('agents');
  const form = useContractForm(Instructions, { input: '' });
  const execution = useExecution(agentId);
  const { processing, result } = execution;
  const submit = form.handleSubmit(
    async ({ input }) => {
      if (processing) return;
      const error = await execution.run(input);
      if (error) showFieldErrors(form, error);
    },
    () =>
      showToast({
        variant: 'destructive',
        title: t('toasts.inputRequired'),
        description: t('toasts.inputRequiredDescription'),
      }),
  );
  return { form, submit, processing, result };
}

/** Instructions, then the work, then its result. Closing resets all three. */
export function ExecuteDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const { data: organization } = useGetOrganizationQuery();
  const { form, submit, processing, result } = useExecuteForm(agent.id);
  const available = organization?.creditBalance ?? 0;
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={form.formState.isDirty && !processing && !result}
      size="wide"
      title={t('execute.title')}
      description={t('execute.description', { name: agent.name })}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <Field
            label={t('execute.input')}
            help={t('execute.help')}
            error={message(form.formState.errors.input)}
            required
          >
            <Textarea
              rows={4}
              readOnly={processing}
              placeholder={t('execute.inputPlaceholder')}
              {...form.register('input')}
            />
          </Field>
          {available < TASK_PRICE && !processing && !result && (
            <Banner tone="warning">{t('execute.noCredits', { available })}</Banner>
          )}
          <div aria-live="polite" className="contents">
            {processing && (
              <p className="flex items-center gap-2 text-muted">
                <Spinner /> {t('execute.processing', { name: agent.name })}
              </p>
            )}
            {result && !processing && <ExecutionResultCard result={result} />}
          </div>
        </DialogBody>
        <DialogFooter>
          <DialogCancel label={common('actions.close')} />
          <Button
            type="submit"
            variant="primary"
            pending={processing}
            disabled={available < TASK_PRICE && !processing}
          >
            {t('execute.submit', { count: TASK_PRICE })}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
