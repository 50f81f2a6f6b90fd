import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EditDialog, useStart } from '../../app/edit-dialog.tsx';
import { useBase, useEditor } from '../../app/editor.ts';
import { type FormOf, useContractForm, useFieldMessage } from '../../app/form.ts';
import { ChipsInput } from '../../ui/chips-input.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { Switch } from '../../ui/toggles.tsx';
import {
  useChangeArticleMutation,
  useCreateArticleMutation,
  useGetArticleQuery,
} from './knowledge.api.ts';

const NEW_ARTICLE: ArticleInput = {
  title: '',
  content: '',
  category: '',
  tags: [],
  isPublic: false,
};

function inputOf({ title, content, category, tags, isPublic }: Article): ArticleInput {
  return { title, content, category, tags, isPublic };
}

/** Creates an article, or changes the given one, which must be whole and may come later. */
export function useArticleForm(article: Article | undefined, close: () => void) {
  const { t } = useTranslation('knowledge');
  const form = useContractForm(ArticleInput, article ? inputOf(article) : NEW_ARTICLE);
  const base = useBase(article);
  const { seen } = base;
  const [create] = useCreateArticleMutation();
  const [change] = useChangeArticleMutation();
  const editor = useEditor(form, base, {
    kind: 'knowledge',
    valuesOf: inputOf,
    send: create,
    change: seen && ((body) => change({ seen, body })),
    done: article ? t('toasts.updated') : t('toasts.created'),
    failed: article ? t('toasts.updateFailed') : t('toasts.createFailed'),
    close,
  });
  return { form, editor };
}

type ArticleForm = FormOf<typeof ArticleInput>;

export function ArticleFields({ form }: { form: ArticleForm }) {
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
      <Field
        label={t('form.content')}
        help={t('form.contentHelp')}
        error={message(errors.content)}
        required
      >
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

/** Lists hold the beginning of a long article only: the editor asks for the whole one. */
export function EditArticleDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const query = useGetArticleQuery(id, { refetchOnMountOrArgChange: true });
  const start = useStart(query);
  const { form, editor } = useArticleForm(start, close);
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
      <ArticleFields form={form} />
    </EditDialog>
  );
}
