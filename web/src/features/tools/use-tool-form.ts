import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { useTranslation } from 'react-i18next';
import { showFieldErrors, useContractForm } from '../../app/form.ts';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { atFields, toolForm } from './tool-form.ts';
import { valuesOf } from './tool-values.ts';
import { useChangeToolMutation, useCreateToolMutation } from './tools.api.ts';

/** The form of a new tool, or of the one that it changes, starting with its present values. */
export function useToolForm(tool: Tool | undefined, close: () => void) {
  const { t } = useTranslation('tools');
  const form = useContractForm(toolForm(tool), valuesOf(tool));
  const [create, creation] = useCreateToolMutation();
  const [change, changing] = useChangeToolMutation();
  const pending = creation.isLoading || changing.isLoading;
  const submit = form.handleSubmit(async (body) => {
    if (pending) return;
    if ('change' in body && Object.keys(body.change).length === 0) {
      close();
      return;
    }
    const { data, error } =
      'create' in body
        ? await create(body.create)
        : await change({ id: body.id, change: body.change });
    if (!error) {
      close();
      const isDropped = data.credentialsRequired !== null && tool?.credentialsRequired === null;
      showToast({
        title: tool ? t('toasts.updated') : t('toasts.created'),
        ...(isDropped ? { description: t('toasts.credentialsDropped') } : {}),
      });
      return;
    }
    showFieldErrors(form, atFields(asProblem(error), form.getValues()));
    showToast({
      variant: 'destructive',
      title: tool ? t('toasts.updateFailed') : t('toasts.createFailed'),
      description: describeProblem(t, error),
    });
  });
  return { form, submit, pending };
}

export type ToolFormApi = ReturnType<typeof useToolForm>['form'];
