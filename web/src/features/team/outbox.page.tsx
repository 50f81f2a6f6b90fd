import { listOutbox, type OutgoingMail } from '@tallyhand/contracts/features/team/team.endpoints';
import { ArrowLeft, Inbox } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PagedList } from '../../app/loaded.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { MailState } from './invitation-delivery.tsx';
import { useListOutboxInfiniteQuery } from './team.api.ts';

/** What goes out by mail, and what is kept to be handed over where no mail server is set up. */
export function OutboxPage() {
  const { t } = useTranslation('team');
  const instead = { title: t('restricted.title'), description: t('restricted.description') };
  return (
    <RestrictedPage needs={listOutbox} title={t('outbox.title')} instead={instead}>
      <Page
        title={t('outbox.title')}
        description={t('outbox.description')}
        action={
          <ButtonLink icon={ArrowLeft} to="/team">
            {' '}
            {t('outbox.back')}
          </ButtonLink>
        }
      >
        <Outbox />
      </Page>
    </RestrictedPage>
  );
}

function Outbox() {
  const { t } = useTranslation('team');
  const pages = useListOutboxInfiniteQuery(undefined, { refetchOnMountOrArgChange: true });
  return (
    <PagedList
      pages={pages}
      label={t('outbox.title')}
      loadingLabel={t('outbox.loading')}
      cardClassName="h-20"
      empty={{ icon: Inbox, title: t('outbox.empty'), description: t('outbox.emptyDescription') }}
    >
      {(mail) => <Mail mail={mail} />}
    </PagedList>
  );
}

function Mail({ mail }: { mail: OutgoingMail }) {
  const { t } = useTranslation('team');
  const [isOpen, setOpen] = useState(mail.state === 'kept');
  const body = useId();
  const { subject, to, state, error, text, createdAt } = mail;
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 className="font-medium break-words">{subject}</h2>
          <p className="text-xs break-words text-muted">
            {t('outbox.to', { address: to })} · <RelativeTime at={createdAt} />
          </p>
        </div>
        <div className="flex items-center gap-2">
          <MailState state={state} />
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={isOpen}
            aria-controls={body}
            onClick={() => setOpen(!isOpen)}
          >
            <span>
              {t(isOpen ? 'outbox.hide' : 'outbox.show')}
              <span className="sr-only"> {t('outbox.ofMail', { address: to })}</span>
            </span>
          </Button>
        </div>
      </div>
      {error && state !== 'sent' && <p className="mt-2 text-xs break-words text-muted">{error}</p>}
      <div
        id={body}
        hidden={!isOpen}
        className="mt-3 flex items-start gap-2 border-t border-line pt-3"
      >
        <p className="min-w-0 flex-1 text-sm break-words whitespace-pre-wrap">{text}</p>
        <CopyButton text={text} label={t('outbox.copyOf', { address: to })} />
      </div>
    </Card>
  );
}
