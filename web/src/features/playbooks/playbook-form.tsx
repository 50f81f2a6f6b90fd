import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { EditDialog, useStart } from '../../app/edit-dialog.tsx';
import { useBase, useEditor } from '../../app/editor.ts';
import { type FormOf, useContractForm, useFieldMessage } from '../../app/form.ts';
import { ChipsInput } from '../../ui/chips-input.tsx';
import { Field, Input, Select, Textarea } from '../../ui/field.tsx';
import {
  useChangePlaybookMutation,
  useCreatePlaybookMutation,
  useGetPlaybookQuery,
} from './playbooks.api.ts';

const CATEGORIES = [
  'General',
  'Customer Support',
  'Sales',
  'Marketing',
  'Technical',
  'HR',
  'Finance',
  'Operations',
  'Product',
  'Engineering',
] as const;

/** One step per line. */
const PlaybookTexts = PlaybookInput.extend({
  steps: z
    .string()
    .transform((text) => text.split('\n'))
    .pipe(PlaybookInput.shape.steps),
});
type PlaybookTexts = z.input<typeof PlaybookTexts>;

const NEW_PLAYBOOK: PlaybookTexts = {
  title: '',
  description: '',
  steps: '',
  category: 'General',
  tags: [],
  estimatedDuration: 30,
};

function textsOf(playbook: Playbook): PlaybookTexts {
  const { title, description, steps, category, tags, estimatedDuration } = playbook;
  return { title, description, steps: steps.join('\n'), category, tags, estimatedDuration };
}

/** Creates a playbook, or changes the given one, which may come later. */
export function usePlaybookForm(playbook: Playbook | undefined, close: () => void) {
  const { t } = useTranslation('playbooks');
  const form = useContractForm(PlaybookTexts, playbook ? textsOf(playbook) : NEW_PLAYBOOK);
  const base = useBase(playbook);
  const { seen } = base;
  const [create] = useCreatePlaybookMutation();
  const [change] = useChangePlaybookMutation();
  const editor = useEditor(form, base, {
    kind: 'playbooks',
    valuesOf: textsOf,
    send: create,
    change: seen && ((body) => change({ seen, body })),
    done: playbook ? t('toasts.updated') : t('toasts.created'),
    failed: playbook ? t('toasts.updateFailed') : t('toasts.createFailed'),
    close,
  });
  return { form, editor };
}

type PlaybookForm = FormOf<typeof PlaybookTexts>;

export function PlaybookFields({ form }: { form: PlaybookForm }) {
  const { t } = useTranslation('playbooks');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const { errors } = form.formState;
  return (
    <>
      <Field label={t('form.title')} error={message(errors.title)} required>
        <Input autoComplete="off" {...form.register('title')} />
      </Field>
      <Field label={t('form.description')} error={message(errors.description)} required>
        <Textarea
          rows={2}
          placeholder={t('form.descriptionPlaceholder')}
          {...form.register('description')}
        />
      </Field>
      <Field
        label={t('form.steps')}
        help={t('form.stepsHelp')}
        error={message(errors.steps)}
        required
      >
        <Textarea rows={6} {...form.register('steps')} />
      </Field>
      <CategoryAndDuration form={form} />
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
    </>
  );
}

function CategoryAndDuration({ form }: { form: PlaybookForm }) {
  const { t } = useTranslation('playbooks');
  const message = useFieldMessage();
  const { errors, defaultValues } = form.formState;
  const own = defaultValues?.category ?? '';
  // Through the API a playbook may have another category.
  const categories: string[] = [...CATEGORIES];
  if (!categories.includes(own)) categories.push(own);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('form.category')} error={message(errors.category)}>
        <Select
          options={categories.map((value) => ({
            value,
            label: t(`form.categories.${value}` as 'form.categories.General', {
              defaultValue: value,
            }),
          }))}
          {...form.register('category')}
        />
      </Field>
      <Field label={t('form.duration')} error={message(errors.estimatedDuration)} required>
        <Input
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          {...form.register('estimatedDuration', { valueAsNumber: true })}
        />
      </Field>
    </div>
  );
}

/** Starts with what the server holds when it opens. */
export function EditPlaybookDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('playbooks');
  const query = useGetPlaybookQuery(id, { refetchOnMountOrArgChange: true });
  const start = useStart(query);
  const { form, editor } = usePlaybookForm(start, close);
  return (
    <EditDialog
      editor={editor}
      opening={{ query, label: t('loadingOne') }}
      now={query.currentData}
      close={close}
      title={t('form.editTitle')}
      description={t('form.editDescription')}
      submitLabel={t('form.submitEdit')}
      pendingLabel={t('form.saving')}
    >
      <PlaybookFields form={form} />
    </EditDialog>
  );
}
