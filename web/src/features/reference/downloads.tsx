import { useTranslation } from 'react-i18next';

/** A package that the build offers (downloads.ts). */
type Download = {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly integrity: string;
};
const downloads: readonly Download[] = import.meta.env.DOWNLOADS ?? [];

/** How programs and shells install what this server offers. */
export function Downloads() {
  const { t } = useTranslation('reference');
  if (downloads.length === 0) return null;
  return (
    <details className="mt-4 text-sm">
      <summary className="cursor-pointer text-accent">{t('downloads.title')}</summary>
      {downloads.map(({ name, version, path, integrity }) => {
        const isCli = name.endsWith('/cli');
        return (
          <div key={name} className="mt-4">
            <p>{`${t(isCli ? 'downloads.cli' : 'downloads.client')} ${version}`}</p>
            <pre className="mt-1 rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap">
              {`npm install ${isCli ? '--global ' : ''}${window.location.origin}${path}`}
            </pre>
            <p className="mt-1 text-xs break-all text-muted">
              {t('downloads.integrity', { integrity })}
            </p>
          </div>
        );
      })}
    </details>
  );
}
