import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { Banner } from '../../ui/banner.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { RestrictedState } from '../../ui/states.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { BalanceNotice } from './balance-notice.tsx';
import { BalanceThenCard } from './balance-then-card.tsx';
import { BillingFigures } from './billing-figures.tsx';
import { ChainCard } from './chain-card.tsx';
import { HelpCard } from './help-card.tsx';
import { LedgerCard } from './ledger-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { PaymentsCard } from './payments-card.tsx';
import { PricingCard } from './pricing-card.tsx';
import { PurchaseCard } from './purchase-card.tsx';
import { UsagePanel } from './usage-panel.tsx';
import { useReturnedPayment } from './use-returned-payment.ts';

const TABS = ['credits', 'usage', 'ledger', 'limits'] as const;
type Tab = (typeof TABS)[number];

/** `?tab=` chooses the part; `?payment=ID&outcome=` is the way back from the provider. */
export function BillingPage() {
  const { t } = useTranslation('credits');
  const { role } = useCurrentUser();
  useTitle(t('title'));
  if (!mayCall(role, purchaseCredits)) {
    return (
      <RestrictedState title={t('restricted.title')} description={t('restricted.description')} />
    );
  }
  return <Billing />;
}

function Billing() {
  const { t } = useTranslation('credits');
  const [chosen, setChosen] = useSearchParam('tab');
  const confirming = useReturnedPayment();
  const tab: Tab = TABS.find((it) => it === chosen) ?? 'credits';
  return (
    <Page>
      <PageHeader title={t('title')} description={t('description')} />
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
          <ChainCard />
          <BalanceThenCard />
          <LedgerCard />
        </TabPanel>
        <TabPanel value="limits" className="pt-6">
          <LimitsCard />
        </TabPanel>
      </Tabs>
    </Page>
  );
}
