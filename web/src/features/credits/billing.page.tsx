import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  CRITICAL_CREDITS,
  LOW_CREDITS,
  PRICE_OF,
} from '@tallyhand/contracts/features/credits/credits.prices';
import { WORK_KIND_OF, WORK_TYPES } from '@tallyhand/contracts/features/credits/paid-work';
import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  type ModelCredits,
  ONE_CREDIT,
} from '@tallyhand/contracts/features/models/model-credits.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { CalendarDays, Coins, ListChecks, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { problemOf } from '../../app/problem.ts';
import { useAddress, useSearchParam } from '../../app/use-address.ts';
import { Banner } from '../../ui/banner.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection, StatCard, statRows } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { Skeleton } from '../../ui/loading.tsx';
import { ProgressBar } from '../../ui/progress.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toast.ts';
import { ChatBudgetCard } from '../chat/chat-budget-card.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useGetModelCreditsQuery } from '../models/models.api.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';
import { BalanceThenCard } from './balance-then-card.tsx';
import { ChainCard } from './chain-card.tsx';
import { useListPaymentsQuery } from './credits.api.ts';
import { LedgerCard } from './ledger-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { PaymentsCard } from './payments-card.tsx';
import { PurchaseCard } from './purchase-card.tsx';
import { StatementsPanel } from './statements-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';
import { useFormats } from './use-formats.ts';
import { useConfirmPayment, usePurchaseFailed } from './use-purchase.ts';

const TABS = ['credits', 'usage', 'ledger', 'statements', 'limits'] as const;
type Tab = (typeof TABS)[number];

/** `?tab=` chooses the part; `?payment=ID&outcome=` is the way back from the provider. */
export function BillingPage() {
  const { t } = useTranslation('credits');
  const { role } = useCurrentUser();
  const instead = { title: t('restricted.title'), description: t('restricted.description') };
  return (
    <RestrictedPage needs={listLedgerEntries} title={t('title')} instead={instead}>
      {mayCall(role, purchaseCredits) ? <Billing /> : <LedgerOnly />}
    </RestrictedPage>
  );
}

/** What an Auditor sees. */
function LedgerOnly() {
  const { t } = useTranslation('credits');
  return (
    <Page title={t('tabs.ledger')} tab={t('title')}>
      <LedgerParts />
    </Page>
  );
}

const LedgerParts = () => (
  <>
    <ChainCard />
    <BalanceThenCard />
    <LedgerCard />
  </>
);

function Billing() {
  const { t } = useTranslation('credits');
  const [chosen, setChosen] = useSearchParam('tab');
  const confirming = useReturnedPayment();
  const tab: Tab = TABS.find((it) => it === chosen) ?? 'credits';
  return (
    <Page title={t('title')} description={t('description')}>
      {confirming && <Banner tone="info">{t('confirming')}</Banner>}
      <BalanceNotice />
      <BillingFigures />
      <Tabs
        value={tab}
        onChange={(next) => setChosen(next === 'credits' ? '' : next)}
        label={t('tabs.label')}
        tabs={TABS.map((value) => ({ value, label: t(`tabs.${value}`) }))}
      >
        <TabPanel value="credits" className="flex flex-col gap-6 pt-6">
          <PurchaseCard />
          <PaymentsCard />
          <div className="grid items-start gap-6 md:grid-cols-2">
            <PricingCard />
            <HelpCard />
          </div>
        </TabPanel>
        <TabPanel value="usage" className="flex flex-col gap-6 pt-6">
          <UsagePanel />
        </TabPanel>
        <TabPanel value="ledger" className="flex flex-col gap-6 pt-6">
          <LedgerParts />
        </TabPanel>
        <TabPanel value="statements" className="flex flex-col gap-6 pt-6">
          <StatementsPanel />
        </TabPanel>
        <TabPanel value="limits" className="flex flex-col gap-6 pt-6">
          <LimitsCard />
          <ChatBudgetCard />
        </TabPanel>
      </Tabs>
    </Page>
  );
}

/** Below 50 credits: that agents will stop. Below 0: that they have stopped, and why. */
function BalanceNotice() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data: organization } = useGetOrganizationQuery();
  const { data: payments = [] } = useListPaymentsQuery();
  const balance = organization?.creditBalance;
  if (balance === undefined || balance >= CRITICAL_CREDITS) return null;
  const takenBack = payments.some(({ creditsReversed }) => creditsReversed > 0);
  return (
    <Banner tone="danger" title={t('critical.title')}>
      <p>
        {balance > 0
          ? t('critical.left', { count: balance, formatted: number(balance) })
          : t('critical.stopped')}
      </p>
      {balance < 0 && (
        <p>
          {takenBack
            ? t('critical.takenBack', { balance: number(balance) })
            : t('critical.negative', { balance: number(balance) })}
        </p>
      )}
    </Banner>
  );
}

/** The number of tasks at which the bar of the month is full. */
const MONTH_SCALE = 100;

function BillingFigures() {
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-3">
      <AvailableCredits />
      <TaskFigures />
    </div>
  );
}

function AvailableCredits() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data } = useGetOrganizationQuery();
  const reserved = data?.reserved ?? 0;
  const setAside =
    reserved > 0
      ? t('figures.reserved', { formatted: number(reserved) })
      : t('figures.availableDetail');
  const low = data !== undefined && data.creditBalance < LOW_CREDITS;
  return (
    <div className={cx(statRows, 'col-span-2 md:col-span-1')}>
      <StatCard
        label={t('figures.available')}
        icon={low ? <TriangleAlert aria-hidden className="text-danger" /> : <Coins aria-hidden />}
        value={data ? number(data.creditBalance) : <Figure />}
        detail={low ? t('figures.low') : setAside}
      />
    </div>
  );
}

function TaskFigures() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data } = useGetTaskStatsQuery();
  const thisMonth = data?.createdThisMonth ?? 0;
  return (
    <>
      <StatCard
        label={t('figures.completed')}
        icon={<ListChecks aria-hidden />}
        value={data ? number(data.success) : <Figure />}
        detail={t('figures.created', { count: thisMonth, formatted: number(thisMonth) })}
      />
      <StatCard
        label={t('figures.monthly')}
        icon={<CalendarDays aria-hidden />}
        value={data ? number(thisMonth) : <Figure />}
        detail={
          <span className="flex items-center gap-3 max-sm:flex-col max-sm:items-stretch max-sm:gap-1">
            {t('figures.monthlyDetail')}
            <span className="min-w-0 flex-1">
              <ProgressBar label={t('figures.monthly')} percent={(thisMonth / MONTH_SCALE) * 100} />
            </span>
          </span>
        }
      />
    </>
  );
}

const Figure = () => <Skeleton className="my-1.5 w-12" />;

/** Links to the support form, with the category chosen. */
function HelpCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection title={t('help.title')}>
      <p className="text-muted">{t('help.text')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <ButtonLink to="/contact?category=general">{t('help.sales')}</ButtonLink>
        <ButtonLink to="/contact?category=billing">{t('help.support')}</ButtonLink>
        <ButtonLink variant="ghost" to="/support">
          {t('help.tickets')}
        </ButtonLink>
      </div>
    </CardSection>
  );
}

/** What each type of work costs. */
function PricingCard() {
  const { t } = useTranslation('credits');
  const { data: prices = ONE_CREDIT } = useGetModelCreditsQuery();
  const { standard } = prices;
  return (
    <CardSection title={t('pricing.title')}>
      <dl className="flex flex-col divide-y divide-line">
        <Price name={t('pricing.task')} credits={PRICE_OF.task * standard} />
        {WORK_TYPES.map((type) => (
          <Price
            key={type}
            name={t(`pricing.types.${type}`)}
            credits={PRICE_OF[WORK_KIND_OF[type]] * standard}
          />
        ))}
      </dl>
      <ModelPrices {...prices} />
      <p className="mt-2 text-xs text-muted">{t('pricing.failed')}</p>
    </CardSection>
  );
}

/** What the operator asks for models, unless all cost the same. */
function ModelPrices({ standard, models }: ModelCredits) {
  const { t } = useTranslation('credits');
  if (models.length === 0 && standard === 1) return null;
  return (
    <>
      <h3 className="mt-4 font-medium">{t('pricing.byModel')}</h3>
      <p className="text-xs text-muted">{t('pricing.byModelHelp')}</p>
      <dl className="flex flex-col divide-y divide-line">
        <Price name={t('pricing.standard')} credits={standard} />
        {models.map(({ model, credits }) => (
          <Price key={model} name={model} credits={credits} />
        ))}
        {models.every(({ model }) => model !== '*') && (
          <Price name={t('pricing.others')} credits={1} />
        )}
      </dl>
    </>
  );
}

function Price({ name, credits }: { name: string; credits: number }) {
  const { t } = useTranslation('credits');
  return (
    <div className="flex justify-between gap-4 py-2">
      <dt>{name}</dt>
      <dd className="tabular text-muted">{t('pricing.credits', { count: credits })}</dd>
    </div>
  );
}

/**
 * The way back from the provider, `?payment=ID&outcome=success|cancelled`: confirms the payment,
 * then cleans the address. True while it is being confirmed.
 */
function useReturnedPayment(): boolean {
  const { t } = useTranslation('credits');
  const { search, change } = useAddress();
  const id = search.get('payment');
  const outcome = search.get('outcome');
  const { data: payments, error } = useListPaymentsQuery(undefined, { skip: id === null });
  const confirm = useConfirmPayment();
  const failed = usePurchaseFailed();
  const begun = useRef<string>(undefined);

  const finish = async (payment: string) => {
    const found = payments?.find((it) => it.id === payment);
    if (outcome === 'cancelled') {
      showToast({ title: t('toasts.cancelled'), description: t('toasts.cancelledDescription') });
    } else if (found) await confirm({ id: payment, credits: found.creditsPurchased });
    else failed(error ?? problemOf(404, { ...unknownPayment, detail: t('checkout.unknown') }));
    change({ payment: '', outcome: '' }, 'typed');
  };
  useEffect(() => {
    const known = payments !== undefined || error !== undefined || outcome === 'cancelled';
    if (id === null || !known || begun.current === id) return;
    begun.current = id;
    void finish(id);
  });
  return id !== null && outcome !== 'cancelled';
}

const unknownPayment = {
  type: 'about:blank',
  title: 'No such payment',
  status: 404,
  code: 'not-found',
};
