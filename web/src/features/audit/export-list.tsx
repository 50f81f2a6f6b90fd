import {
  type AuditExport,
  downloadAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { ProgressBar } from '../../ui/progress.tsx';
import { ExactTime, exactTime } from '../../ui/time.tsx';
import { isUnderWay, type useExports } from './use-exports.ts';
import { useFilterWords } from './use-filter-words.ts';

const looks: Record<AuditExport['status'], Status> = {
  queued: 'waiting',
  running: 'running',
  finished: 'success',
  failed: 'failed',
};

/** Newest first, each with how far it is, or the way to its file. */
export function ExportList({ exports }: { exports: ReturnType<typeof useExports> }) {
  const { t } = useTranslation('audit');
  const { currentData, error, refetch } = exports;
  if (error || !currentData) {
    return (
      <NotLoaded
        error={error}
        refetch={refetch}
        label={t('exports.loading')}
        count={2}
        skeleton="h-14"
        className="flex flex-col gap-3"
      />
    );
  }
  if (currentData.length === 0) return <p className="text-muted">{t('exports.empty')}</p>;
  return (
    <ol
      aria-label={t('exports.list')}
      className="flex flex-col divide-y divide-line border-y border-line"
    >
      {currentData.map((one) => (
        <Export key={one.id} one={one} />
      ))}
    </ol>
  );
}

function Export({ one }: { one: AuditExport }) {
  const { t, i18n } = useTranslation('audit');
  const { status, format, createdAt, requestedBy, filter } = one;
  const words = useFilterWords()(filter);
  const time = exactTime(createdAt, i18n.language);
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2 font-medium">
            {t('exports.made', {
              format: t(`exports.shortFormats.${format}`),
              name: requestedBy.name ?? t('formerMember'),
            })}
            <StatusBadge status={looks[status]} label={t(`exports.statuses.${status}`)} />
          </p>
          <p className="text-xs break-words text-muted">
            <ExactTime at={createdAt} /> · {words === '' ? t('exports.everything') : words}
          </p>
          {status === 'finished' && <Result one={one} />}
          {status === 'failed' && <p className="text-xs text-danger">{t('exports.failed')}</p>}
        </div>
        {status === 'finished' && (
          <ButtonLink size="sm">
            <a href={pathOf(downloadAuditExport, { id: one.id })} download>
              <Download aria-hidden />
              {t('exports.download')}
              <span className="sr-only"> {t('exports.downloadOf', { time })}</span>
            </a>
          </ButtonLink>
        )}
      </div>
      {isUnderWay(one) && <Gone one={one} label={t('exports.progress', { time })} />}
    </li>
  );
}

function Result({ one: { rows, bytes, expiresAt } }: { one: AuditExport }) {
  const { t, i18n } = useTranslation('audit');
  const parts = [
    t('exports.entries', { count: rows, formatted: numberFormat(i18n.language).format(rows) }),
    bytes !== null && inBytes(bytes, i18n.language),
    t('exports.until', { time: exactTime(expiresAt, i18n.language) }),
  ];
  return <p className="tabular text-xs text-muted">{parts.filter(Boolean).join(' · ')}</p>;
}

/** How much of the log was gone through. */
function Gone({ one: { done, upTo }, label }: { one: AuditExport; label: string }) {
  const { i18n } = useTranslation();
  const share = done / Math.max(1, upTo);
  return (
    <div className="flex items-center gap-3">
      <div className="flex-1">
        <ProgressBar label={label} percent={share * 100} />
      </div>
      <span className="w-10 tabular text-right text-xs text-muted">
        {numberFormat(i18n.language, { style: 'percent' }).format(share)}
      </span>
    </div>
  );
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size as people read it, as 12.3 MB. */
function inBytes(bytes: number, language: string): string {
  const power = Math.floor(Math.log10(Math.max(1, bytes)) / 3);
  const unit = UNITS[power] ?? 'gigabyte';
  return numberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: 1,
  }).format(bytes / 1_000 ** UNITS.indexOf(unit));
}
