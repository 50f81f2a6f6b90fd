import { useTranslation } from 'react-i18next';
import { ChangedSince } from '../../app/changed-since.tsx';
import { LoadFailed } from '../../app/load-failed.tsx';
import { useStart } from '../../app/use-start.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { ArticleFields, useArticleForm } from './article-form.tsx';
import { useGetArticleQuery } from './knowledge.api.ts';

/** Lists hold the beginning of a long article only: the editor asks for the whole one. */
export function EditArticleDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const query = useGetArticleQuery(id, { refetchOnMountOrArgChange: true });
  const start = useStart(query);
  const { form, submit, pending, dirty } = useArticleForm(start, close);
  const now = pending ? start?.version : query.currentData?.version;
  return (
    <FormDialog
      title={t('form.editTitle')}
      description={t('form.editDescription')}
      submit={submit}
      submitLabel={t('form.submitEdit')}
      disabled={!start}
      pending={pending}
      pendingLabel={t('form.saving')}
      dirty={dirty}
      close={close}
    >
      {start && (
        <>
          <ChangedSince start={start.version} now={now} />
          <ArticleFields form={form} />
        </>
      )}
      {!start && query.error && !query.isFetching && (
        <LoadFailed error={query.error} onRetry={query.refetch} />
      )}
      {!start && (query.isFetching || !query.error) && (
        <Loading label={t('loadingOne')} className="flex flex-col gap-4">
          <Skeletons count={5} className="h-9" />
        </Loading>
      )}
    </FormDialog>
  );
}
