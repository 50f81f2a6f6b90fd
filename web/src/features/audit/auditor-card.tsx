import { Download, FileCheck, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { remember, remembered } from '../../ui/remembered.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useDayText } from '../team/last-day.ts';

const STEPS = [
  ['checkpoint', ShieldCheck],
  ['export', Download],
  ['verify', FileCheck],
] as const;

/** What an Auditor does here, until it is dismissed. */
export function AuditorCard() {
  const { t } = useTranslation('audit');
  const { id, lastDay } = useCurrentUser();
  const dayText = useDayText();
  const [isDismissed, setDismissed] = useState(() => remembered('auditorSteps') === id);
  if (isDismissed) return null;
  const dismiss = () => {
    setDismissed(true);
    remember('auditorSteps', id);
  };
  return (
    <CardSection
      title={t('auditor.title')}
      actions={
        <Button size="sm" onClick={dismiss}>
          {t('auditor.dismiss')}
        </Button>
      }
    >
      <ol className="flex flex-col gap-2">
        {STEPS.map(([step, Icon]) => (
          <li key={step} className="flex items-start gap-3">
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="min-w-0">{t(`auditor.steps.${step}`)}</span>
          </li>
        ))}
      </ol>
      <p className="mt-3 text-xs text-muted">
        {lastDay && t('auditor.until', { day: dayText(lastDay) })} {t('auditor.recorded')}
      </p>
    </CardSection>
  );
}
