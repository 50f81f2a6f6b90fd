import {
  downloadAuditEvidence,
  EVIDENCE_DAYS_MAX,
} from '@tallyhand/contracts/features/audit/evidence.endpoints';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { DayFields } from '../../ui/filter-sheet.tsx';
import type { Days } from '../../ui/periods.ts';

const DAY_MS = 86_400_000;

/** The evidence pack of a period, which the browser downloads. */
export function Evidence() {
  const { t } = useTranslation('audit');
  const [days, setDays] = useState<Days>({});
  const { period, error } = checked(days, new Date());
  const label = t('evidence.download');
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">{t('evidence.title')}</h3>
      <p className="max-w-[68ch] text-muted">
        {t('evidence.description', { days: EVIDENCE_DAYS_MAX })}
      </p>
      <div className="max-w-md">
        <DayFields
          days={days}
          setDays={setDays}
          {...(error && { error: t(`evidence.${error}`, { days: EVIDENCE_DAYS_MAX }) })}
        />
      </div>
      <div>
        {period ? (
          <ButtonLink
            size="sm"
            icon={Download}
            href={`${downloadAuditEvidence.path}?${new URLSearchParams(period)}`}
            download
          >
            {label}
          </ButtonLink>
        ) : (
          <Button size="sm" icon={Download} disabled>
            {label}
          </Button>
        )}
      </div>
    </section>
  );
}

type Checked = {
  readonly period?: { readonly from: string; readonly to: string };
  readonly error?: 'tooLong' | 'future';
};

/** The period if a pack can be made for it. Days are UTC. */
function checked({ from, to }: Days, now: Date): Checked {
  if (to && to > now.toISOString().slice(0, to.length)) return { error: 'future' };
  if (!from || !to || from > to) return {};
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return days <= EVIDENCE_DAYS_MAX ? { period: { from, to } } : { error: 'tooLong' };
}
