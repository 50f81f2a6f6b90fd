import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { PlaybookFields, usePlaybookForm } from '../playbooks/playbook-form.tsx';
import { ArticleFields, useArticleForm } from './article-form.tsx';
import type { Shelf } from './use-knowledge-address.ts';

/** Creates an article or a playbook; what was typed for one stays while the other is looked at. */
export function CreateDialog({
  mode,
  setMode,
  close,
}: {
  mode: Shelf;
  setMode: (mode: Shelf) => void;
  close: () => void;
}) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const article = useArticleForm(undefined, close);
  const playbook = usePlaybookForm(undefined, close);
  const isArticle = mode === 'article';
  const { submitting } = isArticle ? article : playbook;
  return (
    <FormDialog
      title={isArticle ? t('form.title') : t('playbooks:form.createTitle')}
      description={isArticle ? t('form.description') : t('playbooks:form.createDescription')}
      {...submitting}
      dirty={article.submitting.dirty || playbook.submitting.dirty}
      submitLabel={isArticle ? t('form.submit') : t('playbooks:form.submitCreate')}
      pendingLabel={t('form.saving')}
      close={close}
    >
      <Tabs
        value={mode}
        onChange={setMode}
        label={t('form.mode')}
        tabs={[
          { value: 'article', label: t('form.article') },
          { value: 'playbook', label: t('form.playbook') },
        ]}
      >
        <TabPanel value="article" className="flex flex-col gap-4">
          <ArticleFields form={article.form} />
        </TabPanel>
        <TabPanel value="playbook" className="flex flex-col gap-4">
          <PlaybookFields form={playbook.form} />
        </TabPanel>
      </Tabs>
    </FormDialog>
  );
}
