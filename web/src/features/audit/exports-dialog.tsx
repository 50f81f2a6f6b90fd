import { AUDIT_KINDS } from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  AuditCheckpoint,
  type AuditExport,
  downloadAuditExport,
  EXPORT_KEPT_DAYS,
  getAuditCheckpoint,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { VERIFIER_PATH } from '@tallyhand/contracts/web-paths';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { CopyButton } from '../../ui/icon-button.tsx';
import { withDays, withMoments } from '../../ui/periods.ts';
import { ProgressBar } from '../../ui/progress.tsx';
import { ExactTime, exactTime } from '../../ui/time.tsx';
import { useMembers } from '../team/use-members.ts';
import {
  useListAuditExportsQuery,
  useListAuditKeysQuery,
  useStartAuditExportMutation,
} from './audit.api.ts';
import { LastCheck } from './audit-check.tsx';
import type { AuditFilter } from './audit-filter.ts';
import { useAuditWords } from './audit-words.ts';
import { Evidence } from './evidence.tsx';
import { LogStreamSection } from './log-stream.tsx';
import { Publishing } from './publishing.tsx';

const FORMATS = ['ndjson', 'csv'] as const;

/** Starts an export of what the page's filter finds, and lists those that there are. */
export function ExportsDialog({ filter, close }: { filter: AuditFilter; close: () => void }) {
  const { t } = useTranslation('audit');
  const exports = useExports();
  return (
    <Dialog
      close={close}
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
        <Evidence />
        <ExportProof />
        <Publishing />
        <LogStreamSection />
      </DialogBody>
    </Dialog>
  );
}

function StartExport({ filter, onStarted }: { filter: AuditFilter; onStarted: () => void }) {
  const { t } = useTranslation('audit');
  const wordsOf = useFilterWords();
  const [format, setFormat] = useState<AuditExport['format']>('ndjson');
  const [kept, setKept] = useState<File>();
  const [isWrong, setIsWrong] = useState(false);
  const announce = useAnnounce();
  const [start, { isLoading }] = useStartAuditExportMutation();
  const submit = async () => {
    const since = kept && checkpointOf(await kept.text());
    if (since === null) return setIsWrong(true);
    const started = start({ format, filter: withMoments(filter), ...(since && { since }) });
    const { error } = await announce(started, { failed: t('exports.startFailed') });
    if (!error) onStarted();
  };
  const words = wordsOf(withDays(filter));
  return (
    <div className="flex flex-col gap-4">
      <dl>
        <dt className="font-medium">{t('exports.what')}</dt>
        <dd className="break-words text-muted">
          {words === '' ? t('exports.everything') : t('exports.filtered', { filter: words })}
        </dd>
      </dl>
      <details>
        <summary className="cursor-pointer font-medium">{t('exports.since.title')}</summary>
        <div className="mt-2">
          <Field
            label={t('exports.since.file')}
            help={t('exports.since.help')}
            error={isWrong ? t('exports.since.wrong') : undefined}
          >
            <FileInput
              file={kept}
              accept=".json"
              onChoose={(file) => {
                setKept(file);
                setIsWrong(false);
              }}
            />
          </Field>
        </div>
      </details>
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

/** The checkpoint in a file, or null if it holds none. */
function checkpointOf(text: string): AuditCheckpoint | null {
  try {
    return AuditCheckpoint.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

const badgeStatus: Record<AuditExport['status'], Status> = {
  queued: 'waiting',
  running: 'running',
  finished: 'success',
  failed: 'failed',
};

/** Newest first, each with how far it is, or the way to its file. */
function ExportList({ exports }: { exports: Exports }) {
  const { t } = useTranslation('audit');
  const { currentData, error, refetch } = exports;
  if (error || !currentData) {
    return (
      <NotLoaded
        query={{ error, refetch }}
        label={t('exports.loading')}
        count={2}
        skeleton="h-14"
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
            <StatusBadge status={badgeStatus[status]} label={t(`exports.statuses.${status}`)} />
          </p>
          <p className="text-xs break-words text-muted">
            <ExactTime at={createdAt} /> · {words === '' ? t('exports.everything') : words}
          </p>
          {status === 'finished' && <Result one={one} />}
          {status === 'failed' && <p className="text-xs text-danger">{t('exports.failed')}</p>}
        </div>
        {status === 'finished' && (
          <ButtonLink
            size="sm"
            icon={Download}
            href={pathOf(downloadAuditExport, { id: one.id })}
            download
          >
            {' '}
            {t('exports.download')}
            <span className="sr-only"> {t('exports.downloadOf', { time })}</span>
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

/** What a bundle shows and what not, how one checks it, and the key to check it with. */
function ExportProof() {
  const { t } = useTranslation('audit');
  const { data: keys, error, refetch } = useListAuditKeysQuery();
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">{t('exports.proof.title')}</h3>
      <p className="max-w-[68ch] text-muted">{t('exports.proof.shows')}</p>
      <p className="max-w-[68ch] text-muted">{t('exports.proof.limits')}</p>
      <LastCheck />
      {keys?.slice(0, 1).map(({ keyId, raw }) => (
        <Copied
          key={keyId}
          label={t('exports.proof.command')}
          text={`npm run audit:verify -- FILE --key ${raw}`}
          copyLabel={t('exports.proof.copyCommand')}
        />
      ))}
      <div>
        <ButtonLink size="sm" href={VERIFIER_PATH}>
          {t('exports.proof.page')}
        </ButtonLink>
      </div>
      {keys?.map(({ keyId, raw }) => (
        <Copied
          key={keyId}
          label={t('exports.proof.key', { keyId })}
          text={raw}
          copyLabel={t('exports.proof.copyKey', { keyId })}
        />
      ))}
      {keys && <p className="max-w-[68ch] text-xs text-muted">{t('exports.proof.keyHelp')}</p>}
      <p className="mt-2 max-w-[68ch] text-muted">{t('exports.proof.checkpoint')}</p>
      <div>
        <ButtonLink
          size="sm"
          icon={Download}
          href={getAuditCheckpoint.path}
          download="checkpoint.json"
        >
          {t('exports.proof.getCheckpoint')}
        </ButtonLink>
      </div>
      {!keys && (
        <NotLoaded
          query={{ error, refetch }}
          label={t('exports.proof.loading')}
          count={2}
          skeleton="h-14"
        />
      )}
    </section>
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

const POLL_MS = 1_000;

type Exports = { currentData?: AuditExport[]; error?: unknown; refetch: () => void };

/** The exports that can be downloaded; asked for again and again while one of them is made. */
function useExports(): Exports {
  const [following, setFollowing] = useState(false);
  const exports = useListAuditExportsQuery(undefined, {
    refetchOnMountOrArgChange: true,
    pollingInterval: following ? POLL_MS : 0,
  });
  // A failed request does not end it: the next one may be answered.
  const isOpen = (exports.currentData ?? []).some(isUnderWay);
  useEffect(() => setFollowing(isOpen), [isOpen]);
  return exports;
}

const isUnderWay = ({ status }: { readonly status: string }) =>
  status === 'queued' || status === 'running';

const SHORT_ID_LENGTH = 8;
const DAY = /^\d{4}-\d\d-\d\d$/;

const DESCRIBED = ['q', 'actor', 'kind', 'object', 'from', 'to'] as const;

/** Describes a filter of the audit log in one line; empty for all entries. */
function useFilterWords() {
  const { t, i18n } = useTranslation('audit');
  const words = useAuditWords();
  const members = useMembers() ?? [];

  const timeOf = (value: string) => {
    const isDay = DAY.test(value);
    const at = new Date(isDay ? `${value}T00:00:00` : value);
    // An address may name what is no time.
    if (Number.isNaN(at.valueOf())) return value;
    if (!isDay) return exactTime(value, i18n.language);
    return dateFormat(i18n.language, { dateStyle: 'medium' }).format(at);
  };
  const wordOf = (name: string, value: string) => {
    switch (name) {
      case 'actor':
        return members.find(({ id }) => id === value)?.username ?? words.actorKind(value);
      case 'kind':
        return AUDIT_KINDS.some((kind) => kind === value) ? words.kind(value) : words.event(value);
      case 'object':
        return value.slice(-SHORT_ID_LENGTH);
      case 'from':
      case 'to':
        return timeOf(value);
      default:
        return value;
    }
  };
  return (filter: Readonly<Record<string, string | undefined>>) =>
    DESCRIBED.flatMap((name) => {
      const value = filter[name];
      return value ? [t(`exports.filter.${name}`, { value: wordOf(name, value) })] : [];
    }).join(' · ');
}
