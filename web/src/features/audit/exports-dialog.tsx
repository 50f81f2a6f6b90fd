import {
  type AuditExport,
  EXPORT_KEPT_DAYS,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { useStartExportMutation } from './audit-exports.api.ts';
import { type AuditFilter, queryOf } from './audit-filter.ts';
import { ExportList } from './export-list.tsx';
import { ExportProof } from './export-proof.tsx';
import { useExports } from './use-exports.ts';
import { useFilterWords } from './use-filter-words.ts';

const FORMATS = ['ndjson', 'csv'] as const;

/** Starts an export of what the page's filter finds, and lists those that there are. */
export function ExportsDialog({ filter, close }: { filter: AuditFilter; close: () => void }) {
  const { t } = useTranslation('audit');
  const exports = useExports();
  return (
    <Dialog
      open
      onOpenChange={close}
      size="wide"
      title={t('exports.title')}
      description={t('exports.description')}
    >
      <DialogBody className="gap-6">
        <StartExport filter={filter} onStarted={exports.refetch} />
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{t('exports.list')}</h3>
          <p className="-mt-1 text-xs text-muted">
            {t('exports.kept', { count: EXPORT_KEPT_DAYS })}
          </p>
          <ExportList exports={exports} />
        </section>
        <ExportProof />
      </DialogBody>
    </Dialog>
  );
}

function StartExport({ filter, onStarted }: { filter: AuditFilter; onStarted: () => void }) {
  const { t } = useTranslation('audit');
  const wordsOf = useFilterWords();
  const [format, setFormat] = useState<AuditExport['format']>('ndjson');
  const announce = useAnnounce();
  const [start, { isLoading }] = useStartExportMutation();
  const submit = async () => {
    const started = start({ format, filter: queryOf(filter) });
    const { error } = await announce(started, { failed: t('exports.startFailed') });
    if (!error) onStarted();
  };
  const words = wordsOf(filter);
  return (
    <div className="flex flex-col gap-4">
      <dl>
        <dt className="font-medium">{t('exports.what')}</dt>
        <dd className="break-words text-muted">
          {words === '' ? t('exports.everything') : t('exports.filtered', { filter: words })}
        </dd>
      </dl>
      <div className="flex flex-col items-stretch gap-3 sm:flex-row sm:items-end sm:justify-between">
        <div className="sm:w-60">
          <Field label={t('exports.format')}>
            <Select
              value={format}
              onChange={({ target }) => setFormat(target.value as AuditExport['format'])}
              options={FORMATS.map((value) => ({ value, label: t(`exports.formats.${value}`) }))}
            />
          </Field>
        </div>
        <Button
          variant="primary"
          pending={isLoading}
          pendingLabel={t('exports.starting')}
          onClick={submit}
        >
          {t('exports.start')}
        </Button>
      </div>
    </div>
  );
}
