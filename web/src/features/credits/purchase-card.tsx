import { CURRENCY } from '@tallyhand/contracts/features/credits/credits.prices';
import type { Package } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { TEST_OUTCOMES } from '@tallyhand/contracts/features/credits/payments.events';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { Field, Select } from '../../ui/field.tsx';
import { Loading, Skeletons, Spinner } from '../../ui/loading.tsx';
import { useGetBillingSettingsQuery, useListPackagesQuery } from './credits.api.ts';
import { useFormats } from './use-formats.ts';
import { type TestOutcome, usePurchase } from './use-purchase.ts';

const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-4';

/** The four packages; each is bought with one click. */
export function PurchaseCard() {
  const { t } = useTranslation('credits');
  const { data: packages, error, refetch } = useListPackagesQuery();
  const { data: settings, error: unknown, refetch: askAgain } = useGetBillingSettingsQuery();
  if ((!packages && error) || (!settings && unknown)) {
    const retry = () => {
      refetch();
      askAgain();
    };
    return (
      <CardSection title={t('purchase.title')}>
        <LoadFailed error={error ?? unknown} onRetry={retry} />
      </CardSection>
    );
  }
  return (
    <CardSection title={t('purchase.title')}>
      {packages && settings ? (
        <Packages packages={packages} test={settings.provider === 'test'} />
      ) : (
        <Loading label={t('purchase.loading')} className={grid}>
          <Skeletons count={4} className="h-44 rounded-lg" />
        </Loading>
      )}
    </CardSection>
  );
}

function Packages({ packages, test }: { packages: readonly Package[]; test: boolean }) {
  const [outcome, setOutcome] = useState<TestOutcome>('success');
  const { buy, processing } = usePurchase(test ? outcome : undefined);
  return (
    <>
      {test && <TestMode outcome={outcome} onChange={setOutcome} />}
      <ul className={grid}>
        {packages.map((offer) => (
          <li key={offer.id} className="min-w-0">
            <PackageCard offer={offer} processing={processing} buy={() => void buy(offer)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function TestMode({
  outcome,
  onChange,
}: {
  outcome: TestOutcome;
  onChange: (outcome: TestOutcome) => void;
}) {
  const { t } = useTranslation('credits');
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg bg-sunken p-3">
      <div className="flex items-start gap-2">
        <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        <div>
          <p className="font-medium">{t('purchase.testMode')}</p>
          <p className="text-muted">{t('purchase.testModeHelp')}</p>
        </div>
      </div>
      <div className="w-full sm:w-56">
        <Field label={t('purchase.testCard')}>
          <Select
            value={outcome}
            onChange={({ target }) => onChange(target.value as TestOutcome)}
            options={TEST_OUTCOMES.map((value) => ({
              value,
              label: t(`purchase.outcomes.${value}`),
            }))}
          />
        </Field>
      </div>
    </div>
  );
}

function PackageCard({
  offer,
  processing,
  buy,
}: {
  offer: Package;
  processing: string | undefined;
  buy: () => void;
}) {
  const { t } = useTranslation('credits');
  const { number, money } = useFormats();
  const busy = processing === offer.id;
  const decimals = Number.isInteger(offer.amount) ? 0 : 2;
  return (
    <article
      aria-label={offer.name}
      className={cx(
        'flex h-full flex-col rounded-lg border p-4',
        offer.popular ? 'border-accent' : 'border-line',
      )}
    >
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium">{offer.name}</h3>
        {offer.popular && <Badge tone="accent">{t('purchase.popular')}</Badge>}
      </div>
      <p className="mt-3 tabular text-lg font-semibold">
        {money(offer.amount, CURRENCY, decimals)}
      </p>
      <p className="tabular">
        {t('purchase.credits', { count: offer.credits, formatted: number(offer.credits) })}
      </p>
      <p className="mb-4 tabular text-muted">
        {t('purchase.perCredit', { price: money(offer.pricePerCredit, CURRENCY, 3) })}
      </p>
      <Button
        variant={offer.popular ? 'primary' : 'secondary'}
        className="mt-auto w-full"
        disabled={processing !== undefined && !busy}
        aria-disabled={busy || undefined}
        aria-busy={busy || undefined}
        onClick={buy}
      >
        {busy ? (
          <>
            <Spinner /> {t('purchase.processing')}
          </>
        ) : (
          <>
            {t('purchase.buy')} <span className="sr-only">{offer.name}</span>
          </>
        )}
      </Button>
    </article>
  );
}
