import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { CardSection } from '../../ui/card.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { NotificationSwitches } from '../notifications/notification-switches.tsx';
import { BillingTab } from './billing-tab.tsx';
import { ProfileTab } from './profile-tab.tsx';
import { SecurityTab } from './security-tab.tsx';

const TABS = ['profile', 'notifications', 'security', 'billing'] as const;
type Shown = (typeof TABS)[number];

/** `?tab=security`: a tab has an address of its own. */
export function SettingsPage() {
  const { t } = useTranslation('settings');
  const [given, setGiven] = useSearchParam('tab');
  const tab: Shown = TABS.find((each) => each === given) ?? 'profile';
  useTitle(t('title'));
  return (
    <Page>
      <PageHeader title={t('title')} description={t('description')} />
      <Tabs
        value={tab}
        onChange={setGiven}
        label={t('tabs.label')}
        tabs={TABS.map((value) => ({ value, label: t(`tabs.${value}`) }))}
      >
        <TabPanel value="profile">
          <ProfileTab />
        </TabPanel>
        <TabPanel value="notifications">
          <CardSection title={t('tabs.notifications')} className="max-w-[560px]">
            <NotificationSwitches />
          </CardSection>
        </TabPanel>
        <TabPanel value="security">
          <SecurityTab />
        </TabPanel>
        <TabPanel value="billing">
          <BillingTab />
        </TabPanel>
      </Tabs>
    </Page>
  );
}
