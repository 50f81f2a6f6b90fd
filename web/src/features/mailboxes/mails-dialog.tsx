import {
  type Mailbox,
  type MailboxMail,
  sendReplyAgain,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { MailOpen, RotateCw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { PagedList } from '../../app/loaded.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import {
  useListAllMailboxesQuery,
  useListMailboxMailsInfiniteQuery,
  useSendReplyAgainMutation,
} from './mailboxes.api.ts';

const LOOKS: Record<Exclude<MailboxMail['reply'], 'none'>, Status> = {
  waiting: 'waiting',
  sending: 'running',
  sent: 'success',
  failed: 'failed',
  uncertain: 'paused',
};

/** The mail that a mailbox received, newest first, with the outcome of each. */
export function MailsDialog({ mailbox, close }: { mailbox: Mailbox; close: () => void }) {
  const { t } = useTranslation('mailboxes');
  const pages = useListMailboxMailsInfiniteQuery(
    { id: mailbox.id },
    { refetchOnMountOrArgChange: true },
  );
  return (
    <Dialog
      close={close}
      size="wide"
      title={t('mails.title', { address: mailbox.emailAddress })}
      description={t('mails.description')}
    >
      <DialogBody>
        <PagedList
          pages={pages}
          label={t('mails.list')}
          loadingLabel={t('mails.loading')}
          cardClassName="h-20"
          empty={{
            icon: MailOpen,
            title: t('mails.empty'),
            description: t('mails.emptyDescription'),
          }}
        >
          {(mail) => <MailCard mail={mail} canReply={mailbox.canReply} />}
        </PagedList>
      </DialogBody>
    </Dialog>
  );
}

function MailCard({ mail, canReply }: { mail: MailboxMail; canReply: boolean }) {
  const { t } = useTranslation('mailboxes');
  const { role } = useCurrentUser();
  const { id, from, taskId, reason, reply, createdAt } = mail;
  const subject = mail.subject || t('mails.noSubject');
  const isOpen = reply === 'failed' || reply === 'uncertain';
  const mayStillCome = reply !== 'none' || reason === null;
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="font-medium break-words">{subject}</h3>
          <p className="text-xs break-words text-muted">
            {from ?? t('mails.noSender')} · <RelativeTime at={createdAt} />
          </p>
        </div>
        {reply !== 'none' && (
          <StatusBadge status={LOOKS[reply]} label={t(`mails.replies.${reply}`)} />
        )}
      </div>
      {reason !== null && (
        <p className="mt-2 text-xs break-words text-muted">
          {t(`mails.reasons.${reason}` as 'mails.reasons.bounce', { defaultValue: reason })}
        </p>
      )}
      {isOpen && <p className="mt-2 text-xs break-words text-muted">{t(`mails.help.${reply}`)}</p>}
      <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
        {taskId ? (
          <Link
            to={`/tasks?task=${taskId}`}
            className="rounded-sm text-sm text-accent underline-offset-4 hover:underline"
          >
            {t('mails.viewTask')}
            <span className="sr-only"> {t('mails.ofMail', { subject })}</span>
          </Link>
        ) : (
          <span className="text-xs text-muted">
            {mayStillCome ? t('mails.taskWaits') : t('mails.noTask')}
          </span>
        )}
        {isOpen && canReply && mayCall(role, sendReplyAgain) && (
          <SendAgain mailId={id} subject={subject} mayHaveArrived={reply === 'uncertain'} />
        )}
      </div>
    </Card>
  );
}

/** Sends a reply again; asks first if the recipient might then get it twice. */
function SendAgain({
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
        icon={RotateCw}
        size="sm"
        pending={pending}
        onClick={() => (mayHaveArrived ? setAsking(true) : void announce(send(), announcement))}
      >
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

/** What is wrong with the mailboxes of an agent, for its card; nothing where all work. */
export function MailboxTrouble({ agentId }: { agentId: string }) {
  const { t } = useTranslation('mailboxes');
  const failureWords = useFailureWords();
  const { data = [] } = useListAllMailboxesQuery();
  const failing = data.filter((one) => one.agentId === agentId && one.status === 'failing');
  return failing.map(({ id, emailAddress, lastError, lastErrorCode }) => (
    <p key={id} className="flex items-start gap-1.5 text-xs text-danger">
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        {t('trouble', {
          address: emailAddress,
          error: failureWords(lastErrorCode, lastError ?? ''),
        })}
      </span>
    </p>
  ));
}

/** Why a mailbox does not work, by the stable name of that; else in the server's own words. */
export function useFailureWords() {
  const { t } = useTranslation('mailboxes');
  return (code: string | null, sentence: string) =>
    t(`failures.${code}` as 'failures.timeout', { defaultValue: sentence });
}
