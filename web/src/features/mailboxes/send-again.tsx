import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
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
  const send = async () => {
    const { error } = await sendAgain(mailId);
    setAsking(false);
    if (!error) {
      showToast({ title: t('toasts.sentAgain') });
      return;
    }
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('toasts.actionFailed'), description });
  };
  return (
    <>
      <Button
        size="sm"
        pending={pending}
        onClick={() => (mayHaveArrived ? setAsking(true) : void send())}
      >
        <RotateCw aria-hidden />
        <span>
          {t('mails.again.action')}
          <span className="sr-only"> {t('mails.ofMail', { subject })}</span>
        </span>
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('mails.again.title')}
        description={t('mails.again.description')}
        confirmLabel={t('mails.again.action')}
        variant="primary"
        pending={pending}
        onConfirm={send}
      />
    </>
  );
}
