import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { Button } from '../../ui/button.tsx';
import { useSendReplyAgainMutation } from './mailboxes.api.ts';

/** Sends a reply once more; asks first where somebody might then get it twice. */
export function SendAgain({
  mailId,
  subject,
  mayHaveArrived,
}: {
  mailId: string;
  subject: string;
  mayHaveArrived: boolean;
}) {
  const { t } = useTranslation('mailboxes');
  const [asking, setAsking] = useState(false);
  const [sendAgain, { isLoading: pending }] = useSendReplyAgainMutation();
  const announce = useAnnounce();
  const announcement = { done: t('toasts.sentAgain'), failed: t('toasts.actionFailed') };
  const send = () => sendAgain(mailId);
  return (
    <>
      <Button
        size="sm"
        pending={pending}
        onClick={() => (mayHaveArrived ? setAsking(true) : void announce(send(), announcement))}
      >
        <RotateCw aria-hidden />
        <span>
          {t('mails.again.action')}
          <span className="sr-only"> {t('mails.ofMail', { subject })}</span>
        </span>
      </Button>
      {asking && (
        <ConfirmAction
          title={t('mails.again.title')}
          description={t('mails.again.description')}
          confirmLabel={t('mails.again.action')}
          variant="primary"
          run={send}
          announcement={announcement}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
