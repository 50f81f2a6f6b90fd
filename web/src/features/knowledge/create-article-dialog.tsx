import { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { ChipsInput } from '../../ui/chips-input.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.ts';
import { useCreateArticleMutation } from './knowledge.api.ts';

const NEW_ARTICLE = { title: '', content: '', category: '', tags: [], isPublic: false };

function useArticleForm(close: () => void) {
  const { t } = useTranslation('knowledge');
  const form = useContractForm(ArticleInput, NEW_ARTICLE);
  const [create, { isLoading: pending }] = useCreateArticleMutation();
  const submit = form.handleSubmit(async (input) => {
    if (pending) return;
    const { error } = await create(input);
    if (!error) {
      close();
      showToast({ title: t('toasts.created') });
      return;
    }
    showFieldErrors(form, error);
    showToast({
      variant: 'destructive',
      title: t('toasts.createFailed'),
      description: describeProblem(t, error),
    });
  });
  return { form, submit, pending };
}

type ArticleForm = ReturnType<typeof useArticleForm>['form'];

export function CreateArticleDialog({ close }: { close: () => void }) {
  const { t } = useTranslation('knowledge');
  const { form, submit, pending } = useArticleForm(close);
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={form.formState.isDirty && !pending}
      title={t('form.title')}
      description={t('form.description')}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <ArticleFields form={form} />
        </DialogBody>
        <DialogFooter>
          <DialogCancel />
          <Button type="submit" variant="primary" pending={pending} pendingLabel={t('form.saving')}>
            {t('form.submit')}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function ArticleFields({ form }: { form: ArticleForm }) {
  const { t } = useTranslation('knowledge');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const { errors } = form.formState;
  return (
    <>
      <Field label={t('form.articleTitle')} error={message(errors.title)} required>
        <Input autoComplete="off" {...form.register('title')} />
      </Field>
      <Field label={t('form.category')} error={message(errors.category)} required>
        <Input placeholder={t('form.categoryPlaceholder')} {...form.register('category')} />
      </Field>
      <Field label={t('form.content')} error={message(errors.content)} required>
        <Textarea rows={8} {...form.register('content')} />
      </Field>
      <Field
        label={t('form.tags')}
        hint={common('optional')}
        help={t('form.tagsHelp')}
        error={message(errors.tags)}
      >
        <Controller
          control={form.control}
          name="tags"
          render={({ field }) => <ChipsInput {...field} value={field.value ?? []} />}
        />
      </Field>
      <Controller
        control={form.control}
        name="isPublic"
        render={({ field }) => (
          <Switch
            label={t('form.isPublic')}
            help={t('form.isPublicHelp')}
            checked={field.value ?? false}
            onCheckedChange={field.onChange}
          />
        )}
      />
    </>
  );
}
