import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { ConnectionResult } from './connection-result.tsx';
import {
  useDisconnectMailboxMutation,
  usePauseMailboxMutation,
  useResumeMailboxMutation,
  useTestMailboxMutation,
} from './mailboxes.api.ts';
import { MailsDialog } from './mails-dialog.tsx';

/** Waits for an action, says by a notice that it is done, or why it is not. */
function useTold() {
  const { t } = useTranslation('mailboxes');
  return async (outcome: Promise<{ error?: unknown }>, title: string) => {
    const { error } = await outcome;
    if (error) {
      const description = describeProblem(t, error);
      showToast({ variant: 'destructive', title: t('toasts.actionFailed'), description });
    } else if (title) showToast({ title });
  };
}

/** What can be done with a connected mailbox. */
export function MailboxActions({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [isReading, setReading] = useState(false);
  const told = useTold();
  const [test, { data: result, isLoading: testing }] = useTestMailboxMutation();
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => setReading(true)}>
          {t('mails.action')}
        </Button>
        <Button size="sm" pending={testing} onClick={() => told(test(mailbox.id), '')}>
          {t('test.submit')}
        </Button>
        <PauseOrResume mailbox={mailbox} />
        <Disconnect mailbox={mailbox} />
      </div>
      <div aria-live="polite">{result && !testing && <ConnectionResult result={result} />}</div>
      {isReading && <MailsDialog mailbox={mailbox} close={() => setReading(false)} />}
    </>
  );
}

function PauseOrResume({ mailbox: { id, status, pauseReason } }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const told = useTold();
  const [pause, pausing] = usePauseMailboxMutation();
  const [resume, resuming] = useResumeMailboxMutation();
  // It goes on with its agent, not by itself.
  if (pauseReason === 'agent-paused') return null;
  if (status === 'paused' || status === 'failing') {
    return (
      <Button
        size="sm"
        pending={resuming.isLoading}
        onClick={() => told(resume(id), t('toasts.resumed'))}
      >
        {t('resume')}
      </Button>
    );
  }
  return (
    <Button
      size="sm"
      pending={pausing.isLoading}
      onClick={() => told(pause(id), t('toasts.paused'))}
    >
      {t('pause')}
    </Button>
  );
}

function Disconnect({ mailbox: { id, emailAddress } }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [asking, setAsking] = useState(false);
  const told = useTold();
  const [disconnect, { isLoading: pending }] = useDisconnectMailboxMutation();
  return (
    <>
      <Button size="sm" onClick={() => setAsking(true)}>
        {t('disconnect.action')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('disconnect.title', { address: emailAddress })}
        description={t('disconnect.description')}
        confirmLabel={t('disconnect.action')}
        variant="destructive"
        pending={pending}
        onConfirm={async () => {
          await told(disconnect(id), t('toasts.disconnected'));
          setAsking(false);
        }}
      />
    </>
  );
}
