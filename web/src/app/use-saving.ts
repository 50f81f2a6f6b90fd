import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { showToast } from '../ui/toast.ts';
import { changedFields, showFieldErrors } from './form.ts';
import { describeProblem } from './problem.ts';

type Outcome = Promise<{ error?: unknown }>;

type Saving<Out> = {
  /** Creates something, or changes what is there by the fields that are other than at its start. */
  save: { create: (input: Out) => Outcome } | { change: (changed: Partial<Out>) => Outcome };
  pending: boolean;
  /** Titles of toasts. */
  told: { done: string; failed: string };
  close: () => void;
};

/** Sends a form; nothing is sent where nothing was changed. Closes when it is done. */
export function useSaving<In extends FieldValues, Out extends FieldValues>(
  form: UseFormReturn<In, unknown, Out>,
  { save, pending, told, close }: Saving<Out>,
) {
  const { t } = useTranslation('common');
  const submit = form.handleSubmit(async (input) => {
    const changed = changedFields(form, input);
    if ('change' in save && Object.keys(changed).length === 0) {
      close();
      return;
    }
    const { error } = await ('change' in save ? save.change(changed) : save.create(input));
    if (!error) {
      close();
      showToast({ title: told.done });
      return;
    }
    showFieldErrors(form, error);
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: told.failed, description });
  });
  return { form, submit, pending, dirty: form.formState.isDirty && !pending };
}
