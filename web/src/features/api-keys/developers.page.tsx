import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useTitle } from '../../app/use-title.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { RestrictedState } from '../../ui/states.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { WebhooksCard } from '../webhooks/webhooks-card.tsx';
import { KeysCard } from './keys-card.tsx';

export function DevelopersPage() {
  const { t } = useTranslation('developers');
  const { role } = useCurrentUser();
  useTitle(t('title'));
  if (!mayCall(role, listApiKeys)) {
    return (
      <RestrictedState title={t('restricted.title')} description={t('restricted.description')} />
    );
  }
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={
          <ButtonLink>
            <Link to="/api">{t('reference')}</Link>
          </ButtonLink>
        }
      />
      <KeysCard />
      <WebhooksCard />
    </Page>
  );
}
