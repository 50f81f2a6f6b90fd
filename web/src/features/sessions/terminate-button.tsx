import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { isKeptBy, isOpen } from './session-filter.ts';
import { useTerminateSessionMutation } from './sessions.api.ts';

/** Asks, then ends a session that is queued or running; nothing where the person may not. */
export function TerminateButton({ session }: { session: Session }) {
  const { t } = useTranslation('sessions');
  const user = useCurrentUser();
  const [asking, setAsking] = useState(false);
  const [terminate, { isLoading }] = useTerminateSessionMutation();
  const confirm = async () => {
    const { error } = await terminate(session.id);
    setAsking(false);
    if (!error) {
      showToast({ title: t('toasts.terminated') });
      return;
    }
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('toasts.terminateFailed'), description });
  };
  const mayEnd = isOpen(session) && isKeptBy(session, user);
  return (
    <>
      {mayEnd && (
        <Button
          size="sm"
          aria-label={t('list.terminateOf', { goal: session.originalGoal })}
          onClick={() => setAsking(true)}
        >
          <CircleStop aria-hidden />
          {t('list.terminate')}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('terminate.title')}
        description={t('terminate.description')}
        confirmLabel={t('terminate.confirm')}
        cancelLabel={t('terminate.keep')}
        onConfirm={confirm}
        pending={isLoading}
      />
    </>
  );
}
