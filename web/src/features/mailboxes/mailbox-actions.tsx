import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Outcome, useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { Button } from '../../ui/button.tsx';
import { ConnectionResult } from './connection-result.tsx';
import {
  useDisconnectMailboxMutation,
  usePauseMailboxMutation,
  useResumeMailboxMutation,
  useTestMailboxMutation,
} from './mailboxes.api.ts';
import { MailsDialog } from './mails-dialog.tsx';

/** Announces how an action ended. */
function useAnnounceAction() {
  const { t } = useTranslation('mailboxes');
  const announce = useAnnounce();
  return <Data,>(call: PromiseLike<Outcome<Data>>, done?: string) =>
    announce(call, { done, failed: t('toasts.actionFailed') });
}

/** What can be done with a connected mailbox. */
export function MailboxActions({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [isReading, setReading] = useState(false);
  const announce = useAnnounceAction();
  const [test, { data: result, isLoading: testing }] = useTestMailboxMutation();
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => setReading(true)}>
          {t('mails.action')}
        </Button>
        <Button size="sm" pending={testing} onClick={() => announce(test(mailbox.id))}>
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
  const announce = useAnnounceAction();
  const [pause, pausing] = usePauseMailboxMutation();
  const [resume, resuming] = useResumeMailboxMutation();
  // It goes on with its agent, not by itself.
  if (pauseReason === 'agent-paused') return null;
  if (status === 'paused' || status === 'failing') {
    return (
      <Button
        size="sm"
        pending={resuming.isLoading}
        onClick={() => announce(resume(id), t('toasts.resumed'))}
      >
        {t('resume')}
      </Button>
    );
  }
  return (
    <Button
      size="sm"
      pending={pausing.isLoading}
      onClick={() => announce(pause(id), t('toasts.paused'))}
    >
      {t('pause')}
    </Button>
  );
}

function Disconnect({ mailbox: { id, emailAddress } }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [asking, setAsking] = useState(false);
  const [disconnect] = useDisconnectMailboxMutation();
  return (
    <>
      <Button size="sm" onClick={() => setAsking(true)}>
        {t('disconnect.action')}
      </Button>
      {asking && (
        <ConfirmAction
          title={t('disconnect.title', { address: emailAddress })}
          description={t('disconnect.description')}
          confirmLabel={t('disconnect.action')}
          run={() => disconnect(id)}
          announcement={{ done: t('toasts.disconnected'), failed: t('toasts.actionFailed') }}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
