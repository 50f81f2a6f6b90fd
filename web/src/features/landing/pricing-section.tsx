import { CURRENCY } from '@tallyhand/contracts/features/credits/credits.prices';
import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ButtonLink } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { RichText } from '../support/rich-text.tsx';
import { claims } from './claims.ts';
import { SectionTitle } from './section-title.tsx';

const points = ['free', 'card', 'failed', 'members', 'ledger'] as const;

/** The one plan that there is. */
export function PricingSection() {
  const { t, i18n } = useTranslation('landing');
  const { pricePerTask } = claims;
  const money = (amount: number) =>
    numberFormat(i18n.language, { style: 'currency', currency: CURRENCY }).format(amount);
  return (
    <section id="pricing" className="border-t border-line bg-surface">
      <div className="mx-auto grid max-w-[1200px] gap-8 px-6 py-16 md:grid-cols-2">
        <div>
          <SectionTitle>{t('pricing.title')}</SectionTitle>
          <p className="mt-4 max-w-[44ch] text-muted">{t('pricing.text')}</p>
          <p className="mt-4 max-w-[44ch] text-muted">
            <RichText text={t('pricing.packages')} />
          </p>
        </div>
        <div className="rounded-lg border border-line bg-background p-6">
          <h3 className="font-semibold">{t('pricing.plan')}</h3>
          <p className="mt-2">
            <span className="tabular text-2xl font-semibold">
              {pricePerTask === null ? t('pricing.credit') : money(pricePerTask)}
            </span>{' '}
            <span className="text-muted">{t('pricing.unit')}</span>
          </p>
          <ul className="mt-6 flex flex-col gap-3">
            {points.map((key) => (
              <li key={key} className="flex items-start gap-3">
                <Check aria-hidden className="mt-1 size-4 shrink-0 text-success" />
                {t(`pricing.points.${key}`)}
              </li>
            ))}
          </ul>
          <ButtonLink variant="primary" size="lg" className="mt-8 w-full">
            <Link to="/auth?tab=register">{t('pricing.start')}</Link>
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}
