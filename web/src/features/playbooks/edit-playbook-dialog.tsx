import { useTranslation } from 'react-i18next';
import { EditDialog } from '../../app/edit-dialog.tsx';
import { useStart } from '../../app/use-start.ts';
import { PlaybookFields, usePlaybookForm } from './playbook-form.tsx';
import { useGetPlaybookQuery } from './playbooks.api.ts';

/** Starts with what the server holds when it opens. */
export function EditPlaybookDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('playbooks');
  const query = useGetPlaybookQuery(id, { refetchOnMountOrArgChange: true });
  const start = useStart(query);
  const { form, submitting } = usePlaybookForm(start, close);
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
      <PlaybookFields form={form} />
    </EditDialog>
  );
}
