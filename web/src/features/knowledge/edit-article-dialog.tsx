import { useTranslation } from 'react-i18next';
import { EditDialog } from '../../app/edit-dialog.tsx';
import { useStart } from '../../app/use-start.ts';
import { ArticleFields, useArticleForm } from './article-form.tsx';
import { useGetArticleQuery } from './knowledge.api.ts';

/** Lists hold the beginning of a long article only: the editor asks for the whole one. */
export function EditArticleDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const query = useGetArticleQuery(id, { refetchOnMountOrArgChange: true });
  const start = useStart(query);
  const { form, submitting } = useArticleForm(start, close);
  return (
    <EditDialog
      start={start}
      query={query}
      {...submitting}
      close={close}
      title={t('form.editTitle')}
      description={t('form.editDescription')}
      submitLabel={t('form.submitEdit')}
      pendingLabel={t('form.saving')}
      loading={t('loadingOne')}
    >
      <ArticleFields form={form} />
    </EditDialog>
  );
}
