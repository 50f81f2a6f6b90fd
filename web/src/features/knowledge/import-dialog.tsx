import {
  IMPORT_BYTES_MAX,
  type ImportedArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { describeSentence } from '../../app/sentence.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter, FormDialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import { useFirstInvalid } from '../../ui/first-invalid.ts';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toast.ts';
import { useImportArticleMutation } from './knowledge.api.ts';

const KINDS = '.md,.markdown,.txt,.html,.htm,.pdf,.docx';
const MEGABYTE = 1_000_000;

type Way = 'file' | 'page';

function useImport(done: (article: ImportedArticle) => void) {
  const { t } = useTranslation('knowledge');
  const fieldMessage = useFieldMessage();
  const [way, setWay] = useState<Way>('file');
  const [file, setFile] = useState<File>();
  const [url, setUrl] = useState('');
  const [error, setError] = useState<string>();
  const leadToFirstInvalid = useFirstInvalid();
  const [send, { isLoading: pending }] = useImportArticleMutation();

  function missing(): string | undefined {
    if (way === 'page') return URL.canParse(url.trim()) ? undefined : t('import.urlNeeded');
    if (!file) return t('import.fileNeeded');
    const megabytes = IMPORT_BYTES_MAX / MEGABYTE;
    return file.size > IMPORT_BYTES_MAX ? t('import.tooLarge', { megabytes }) : undefined;
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    if (pending) return;
    const lacks = missing();
    setError(lacks);
    if (lacks) return leadToFirstInvalid(form);
    const answer = await send(way === 'file' && file ? { file } : { url: url.trim() });
    if (answer.data) return done(answer.data);
    const { code, errors } = asProblem(answer.error);
    // Only for a broken rule is the field's message clearer than the refusal.
    const rule = code === 'validation-failed' ? fieldMessage(errors[0]) : undefined;
    setError(rule ?? describeProblem(t, answer.error));
    leadToFirstInvalid(form);
  }

  const choose =
    <V,>(set: (value: V) => void) =>
    (value: V) => {
      setError(undefined);
      set(value);
    };
  return {
    way,
    file,
    url,
    error,
    pending,
    submit,
    setWay: choose(setWay),
    setFile: choose(setFile),
    setUrl: choose(setUrl),
  };
}

/** Makes an article of a file or a web page, and says what did not come along. */
export function ImportDialog({ show, close }: { show: (id: string) => void; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const [imported, setImported] = useState<ImportedArticle>();
  const state = useImport((article) => {
    showToast({ title: t('toasts.imported') });
    if (article.remarks.length > 0) setImported(article);
    else show(article.id);
  });
  if (imported) return <Warnings article={imported} show={show} close={close} />;
  const { way, setWay, file, setFile, url, setUrl, error, pending, submit } = state;
  return (
    <FormDialog
      title={t('import.title')}
      description={t('import.description')}
      submit={submit}
      submitLabel={t('import.submit')}
      pending={pending}
      pendingLabel={t('import.pending')}
      close={close}
    >
      <Tabs
        value={way}
        onChange={setWay}
        label={t('import.way')}
        tabs={[
          { value: 'file', label: t('import.file') },
          { value: 'page', label: t('import.page') },
        ]}
      >
        <TabPanel value="file">
          <Field label={t('import.file')} help={t('import.fileHelp')} error={error} required>
            <FileInput file={file} onChoose={setFile} accept={KINDS} disabled={pending} />
          </Field>
        </TabPanel>
        <TabPanel value="page">
          <Field label={t('import.url')} help={t('import.urlHelp')} error={error} required>
            <Input
              type="url"
              name="url"
              inputMode="url"
              placeholder="https://"
              readOnly={pending}
              value={url}
              onChange={({ target }) => setUrl(target.value)}
            />
          </Field>
        </TabPanel>
      </Tabs>
    </FormDialog>
  );
}

function Warnings({
  article,
  show,
  close,
}: {
  article: ImportedArticle;
  show: (id: string) => void;
  close: () => void;
}) {
  const { t } = useTranslation('knowledge');
  const { t: common } = useTranslation('common');
  return (
    <Dialog
      close={close}
      title={t('import.done', { title: article.title })}
      description={t('import.doneDescription')}
    >
      <DialogBody>
        <ul className="flex flex-col gap-2">
          {article.remarks.map((remark) => (
            <li key={remark.text}>
              <Banner tone="warning">{describeSentence(t, remark, remark.text)}</Banner>
            </li>
          ))}
        </ul>
      </DialogBody>
      <DialogFooter>
        <DialogCancel label={common('actions.close')} />
        <Button variant="primary" onClick={() => show(article.id)}>
          {t('menu.view')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
