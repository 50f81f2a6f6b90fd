import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { EmailAddress, Username } from '@tallyhand/contracts/features/identity/identity.fields';
import { createConnection } from '@tallyhand/contracts/features/models/models.endpoints';
import { getNotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { changedFields, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Field, Input, PasswordInput } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Skeleton } from '../../ui/loading.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { SampleCard } from '../agents/sample-card.tsx';
import { useChangeProfileMutation } from '../identity/account.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { NotificationSwitches } from '../notifications/notification-switches.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { SecurityTab } from './security-tab.tsx';

const TABS = ['profile', 'notifications', 'security', 'billing', 'models'] as const;
type Shown = (typeof TABS)[number];

/** Tabs that are not for every role. */
const NEEDS = {
  notifications: getNotificationPreferences,
  billing: MEMBERS,
  models: createConnection,
} as const;
type Limited = keyof typeof NEEDS;

/** `?tab=security`: each tab has an address. */
export function SettingsPage() {
  const { t } = useTranslation('settings');
  const [given, setGiven] = useSearchParam('tab');
  const { role } = useCurrentUser();
  const tabs = TABS.filter((each) => !(each in NEEDS) || mayCall(role, NEEDS[each as Limited]));
  const tab: Shown = tabs.find((each) => each === given) ?? 'profile';
  return (
    <Page title={t('title')} description={t('description')}>
      <Tabs
        value={tab}
        onChange={setGiven}
        label={t('tabs.label')}
        tabs={tabs.map((value) => ({ value, label: t(`tabs.${value}`) }))}
      >
        <TabPanel value="profile">
          <ProfileTab />
          <SampleCard />
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
        <TabPanel value="models">
          <CardSection title={t('tabs.models')} className="max-w-[560px]">
            <p className="text-muted">{t('models.about')}</p>
            <ButtonLink to="/settings/models" variant="primary" className="mt-4">
              {t('models.open')}
            </ButtonLink>
          </CardSection>
        </TabPanel>
      </Tabs>
    </Page>
  );
}

function BillingTab() {
  const { t, i18n } = useTranslation('settings');
  const { role } = useCurrentUser();
  const { data, error, refetch } = useGetOrganizationQuery();
  const count = data?.creditBalance;
  return (
    <CardSection title={t('billing.title')} className="max-w-[560px]">
      {error && !data ? (
        <LoadFailed error={error} onRetry={refetch} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-4">
          {count === undefined ? (
            <Skeleton className="h-6 w-40" />
          ) : (
            <p className="tabular">
              {t('billing.remaining', {
                count,
                formatted: numberFormat(i18n.language).format(count),
              })}
            </p>
          )}
          {mayCall(role, purchaseCredits) && (
            <div className="flex flex-wrap gap-2">
              <ButtonLink to="/contact?category=general">{t('billing.upgrade')}</ButtonLink>
              <ButtonLink variant="primary" to="/billing">
                {t('billing.add')}
              </ButtonLink>
            </div>
          )}
        </div>
      )}
      {!mayCall(role, purchaseCredits) && (
        <p className="mt-2 text-muted">{t('billing.askAdmin')}</p>
      )}
    </CardSection>
  );
}

const Profile = z.object({
  username: Username,
  email: EmailAddress,
  /** Asked for where the address is another. */
  currentPassword: z.string(),
});

function ProfileTab() {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  const { username, email, role } = useCurrentUser();
  const message = useFieldMessage();
  const form = useContractForm(Profile, { username, email, currentPassword: '' });
  const { errors, isDirty } = form.formState;
  const [change] = useChangeProfileMutation();
  const isMoving = form.watch('email').trim() !== email;
  const send = (profile: z.infer<typeof Profile>) => {
    const { currentPassword, ...changed } = changedFields(form, profile);
    if (isMoving && !currentPassword) {
      form.setError('currentPassword', { message: 'Please enter your password' });
      return undefined;
    }
    return change({ ...changed, ...(currentPassword && { currentPassword }) });
  };
  const { submit, pending } = useSubmit(form, {
    send,
    done: t('profile.updated'),
    failed: t('profile.failed'),
    onDone: (saved) =>
      form.reset({ username: saved.username, email: saved.email, currentPassword: '' }),
  });
  return (
    <CardSection title={t('profile.title')} className="max-w-[560px]">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label={t('profile.username')} error={message(errors.username)} required>
          <Input autoComplete="nickname" {...form.register('username')} />
        </Field>
        <Field
          label={t('profile.email')}
          help={isMoving ? t('profile.emailHelp') : undefined}
          error={message(errors.email)}
          required
        >
          <Input type="email" autoComplete="email" {...form.register('email')} />
        </Field>
        {isMoving && (
          <Field
            label={t('profile.currentPassword')}
            error={message(errors.currentPassword)}
            required
          >
            <PasswordInput autoComplete="current-password" {...form.register('currentPassword')} />
          </Field>
        )}
        <Field label={t('profile.role')} help={t('profile.roleHelp')}>
          <Input readOnly value={common(`roles.${role}`)} />
        </Field>
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          disabled={!isDirty}
          pending={pending}
          pendingLabel={t('saving')}
        >
          {t('profile.save')}
        </Button>
      </form>
    </CardSection>
  );
}
