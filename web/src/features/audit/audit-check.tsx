import { downloadAuditTimestamps } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/banner.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { exactTime } from '../../ui/time.tsx';
import { useGetAuditCheckQuery } from './audit.api.ts';

/** Says that the log differs from the event store; nothing while it does not. */
export function DifferenceBanner() {
  const { t, i18n } = useTranslation('audit');
  const { data } = useGetAuditCheckQuery();
  if (!data?.difference) return null;
  const { place, first, last } = data.difference;
  const numbers = numberFormat(i18n.language);
  const entries = { first: numbers.format(first), last: numbers.format(last) };
  return (
    <Banner tone="danger" title={t('check.differs')}>
      {t(`check.${place}`, entries)}
    </Banner>
  );
}

/** When the log was last compared with the event store and time-stamped. */
export function LastCheck() {
  const { t, i18n } = useTranslation('audit');
  const { data } = useGetAuditCheckQuery();
  if (!data) return null;
  const { checkedAt, stamped } = data;
  const timeOf = (at: string) => exactTime(at, i18n.language);
  return (
    <>
      <p className="max-w-[68ch] text-muted">
        {checkedAt ? t('check.at', { time: timeOf(checkedAt) }) : t('check.never')}
      </p>
      {stamped && (
        <>
          <p className="max-w-[68ch] text-muted">
            {t('check.stamped', { authority: stamped.authority, time: timeOf(stamped.at) })}
          </p>
          <div>
            <ButtonLink
              size="sm"
              icon={Download}
              href={downloadAuditTimestamps.path}
              download="audit-timestamps.ndjson"
            >
              {t('check.getStamps')}
            </ButtonLink>
          </div>
        </>
      )}
    </>
  );
}
