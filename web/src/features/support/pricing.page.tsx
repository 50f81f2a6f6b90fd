import {
  CURRENCY,
  PACKAGES,
  pricePerCredit,
  SIGN_UP_CREDITS,
} from '@tallyhand/contracts/features/credits/credits.prices';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { usePageWords } from './page-words.ts';
import { Prose } from './prose.tsx';
import { PublicTitle } from './public-title.tsx';

/** The prices that the server takes, and what they pay for. */
export function PricingPage() {
  const { t } = useTranslation('support');
  const { title, description, sections } = usePageWords('pricing');
  return (
    <>
      <PublicTitle title={title} description={description}>
        <ButtonLink variant="primary" size="lg" className="mt-8" to="/auth?tab=register">
          {t('pricing.start', { count: SIGN_UP_CREDITS })}
        </ButtonLink>
      </PublicTitle>
      <section className="mx-auto max-w-[1200px] px-6 pt-12">
        <h2 className="text-lg font-semibold">{t('pricing.packages')}</h2>
        <ul className="mt-4 grid gap-6 sm:grid-cols-2 md:grid-cols-4">
          {PACKAGES.map((each) => (
            <Package key={each.id} {...each} />
          ))}
        </ul>
        <p className="mt-4 text-sm text-muted">{t('pricing.note')}</p>
      </section>
      <Prose sections={sections} />
    </>
  );
}

function Package({ id, name, credits, cents, popular }: (typeof PACKAGES)[number]) {
  const { t, i18n } = useTranslation('support');
  const money = (dollars: number, decimals: number) =>
    numberFormat(i18n.language, {
      style: 'currency',
      currency: CURRENCY,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(dollars);
  return (
    <li className="flex flex-col rounded-lg border border-line bg-surface p-6">
      <h3 className="font-semibold">{name}</h3>
      <div className="mt-1 h-6 max-sm:empty:hidden">
        {popular && <Badge tone="accent">{t('pricing.popular')}</Badge>}
      </div>
      <p className="mt-2 tabular text-2xl font-semibold">{money(cents / 100, 0)}</p>
      <p className="mt-1 tabular">
        {t('pricing.credits', { formatted: numberFormat(i18n.language).format(credits) })}
      </p>
      <p className="tabular text-sm text-muted">
        {t('pricing.perCredit', { price: money(Number(pricePerCredit({ credits, cents })), 3) })}
      </p>
      <p className="mt-3 text-sm text-muted">{t(`pricing.about.${id}`, { tasks: credits })}</p>
    </li>
  );
}
