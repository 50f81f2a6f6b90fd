import type { AuditKey } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useListAuditKeysQuery } from './audit-exports.api.ts';

/** What a bundle shows and what not, how one checks it, and the key to check it with. */
export function ExportProof() {
  const { t } = useTranslation('audit');
  const { data: keys, error, refetch } = useListAuditKeysQuery();
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">{t('exports.proof.title')}</h3>
      <p className="max-w-[68ch] text-muted">{t('exports.proof.shows')}</p>
      <p className="max-w-[68ch] text-muted">{t('exports.proof.limits')}</p>
      {keys?.map((key) => (
        <Key key={key.keyId} {...key} />
      ))}
      {keys && <p className="max-w-[68ch] text-xs text-muted">{t('exports.proof.keyHelp')}</p>}
      {!keys && (
        <NotLoaded
          error={error}
          refetch={refetch}
          label={t('exports.proof.loading')}
          count={2}
          skeleton="h-14"
          className="flex flex-col gap-2"
        />
      )}
    </section>
  );
}

function Key({ keyId, raw }: AuditKey) {
  const { t } = useTranslation('audit');
  return (
    <>
      <Copied
        label={t('exports.proof.command')}
        text={`npm run audit:verify -- FILE --key ${raw}`}
        copyLabel={t('exports.proof.copyCommand')}
      />
      <Copied
        label={t('exports.proof.key', { keyId })}
        text={raw}
        copyLabel={t('exports.proof.copyKey', { keyId })}
      />
    </>
  );
}

function Copied({ label, text, copyLabel }: { label: string; text: string; copyLabel: string }) {
  return (
    <div>
      <p className="text-xs text-muted">{label}</p>
      <div className="mt-1 flex items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 font-mono text-xs break-all">{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </div>
  );
}
