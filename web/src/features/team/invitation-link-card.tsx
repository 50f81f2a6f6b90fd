import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Input } from '../../ui/input.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import {
  useGetInvitationLinkQuery,
  useRenewInvitationLinkMutation,
  useRevokeInvitationLinkMutation,
} from './team.api.ts';

/** The reusable link: what it gives, how often it was used, and the ways to end it. */
export function InvitationLinkCard() {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  const { data: link, error, refetch } = useGetInvitationLinkQuery();
  const [renew, renewing] = useRenewInvitationLinkMutation();
  const [revoke] = useRevokeInvitationLinkMutation();
  const announce = useAnnounce();
  const [asking, setAsking] = useState(false);
  return (
    <CardSection title={t('link.title')}>
      {link === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {link === null && <p className="text-muted">{t('link.none')}</p>}
      {link && (
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            {t('link.description', { role: common(`roles.${link.role}`) })}
          </p>
          <Input readOnly aria-label={t('link.title')} value={link.url} />
          <p className="text-xs text-muted">
            {t('link.uses', { count: link.uses })} · {t('link.expires')}{' '}
            <RelativeTime at={link.expiresAt} />
          </p>
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              pending={renewing.isLoading}
              onClick={() => announce(renew(), { failed: t('toasts.linkFailed') })}
            >
              {t('link.renew')}
            </Button>
            <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
              {t('link.revoke')}
            </Button>
          </div>
        </div>
      )}
      {asking && (
        <ConfirmAction
          title={t('link.revokeTitle')}
          description={t('link.revokeDescription')}
          confirmLabel={t('link.revokeConfirm')}
          run={revoke}
          announcement={{ done: t('toasts.linkRevoked'), failed: t('toasts.revokeFailed') }}
          close={() => setAsking(false)}
        />
      )}
    </CardSection>
  );
}
