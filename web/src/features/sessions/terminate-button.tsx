import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { Button } from '../../ui/button.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { isKeptBy, isOpen } from './session-filter.ts';
import { useTerminateSessionMutation } from './sessions.api.ts';

/** Asks, then ends a session that is queued or running; nothing where the person may not. */
export function TerminateButton({ session }: { session: Session }) {
  const { t } = useTranslation('sessions');
  const user = useCurrentUser();
  const [asking, setAsking] = useState(false);
  const [terminate] = useTerminateSessionMutation();
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
      {asking && (
        <ConfirmAction
          title={t('terminate.title')}
          description={t('terminate.description')}
          confirmLabel={t('terminate.confirm')}
          cancelLabel={t('terminate.keep')}
          run={() => terminate(session.id)}
          announcement={{ done: t('toasts.terminated'), failed: t('toasts.terminateFailed') }}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
