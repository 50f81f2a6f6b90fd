import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.ts';
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
  const [revoke, revoking] = useRevokeInvitationLinkMutation();
  const [asking, setAsking] = useState(false);
  const fail = (title: string, reason: unknown) =>
    showToast({ variant: 'destructive', title, description: describeProblem(t, reason) });
  const onRenew = async () => {
    const answer = await renew();
    if (answer.error) fail(t('toasts.linkFailed'), answer.error);
  };
  const onRevoke = async () => {
    const answer = await revoke();
    setAsking(false);
    if (answer.error) fail(t('toasts.revokeFailed'), answer.error);
    else showToast({ title: t('toasts.linkRevoked') });
  };
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
            <Button size="sm" pending={renewing.isLoading} onClick={onRenew}>
              {t('link.renew')}
            </Button>
            <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
              {t('link.revoke')}
            </Button>
          </div>
        </div>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('link.revokeTitle')}
        description={t('link.revokeDescription')}
        confirmLabel={t('link.revokeConfirm')}
        onConfirm={onRevoke}
        pending={revoking.isLoading}
      />
    </CardSection>
  );
}
