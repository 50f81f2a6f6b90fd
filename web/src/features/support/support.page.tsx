import { listTickets, type Ticket } from '@tallyhand/contracts/features/support/support.endpoints';
import { LifeBuoy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { fillingOfPages } from '../../app/filling.ts';
import { PagedList } from '../../app/loaded.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useListTicketsInfiniteQuery } from './support.api.ts';

/** What members of the organization have asked; for Admins. */
export function TicketsPage() {
  const { t } = useTranslation('support');
  const instead = { title: t('tickets.restricted'), description: t('tickets.forAdmins') };
  return (
    <RestrictedPage needs={listTickets} title={t('tickets.title')} instead={instead}>
      <Tickets />
    </RestrictedPage>
  );
}

function Tickets() {
  const { t } = useTranslation('support');
  const pages = useListTicketsInfiniteQuery(undefined, { refetchOnMountOrArgChange: true });
  const add = (
    <ButtonLink variant="primary" to="/contact?category=general">
      {t('tickets.open')}
    </ButtonLink>
  );
  return (
    <Page
      title={t('tickets.title')}
      description={t('tickets.description')}
      primary={add}
      filling={fillingOfPages(pages.currentData, pages.error)}
    >
      <PagedList
        pages={pages}
        label={t('tickets.title')}
        loadingLabel={t('tickets.loading')}
        cardClassName="h-28"
        empty={{
          icon: LifeBuoy,
          title: t('tickets.empty'),
          description: t('tickets.emptyDescription'),
          action: add,
        }}
      >
        {(ticket) => <TicketCard ticket={ticket} />}
      </PagedList>
    </Page>
  );
}

function TicketCard({ ticket }: { ticket: Ticket }) {
  const { t } = useTranslation('support');
  const { ticketNumber, subject, message, name, email, company, createdAt } = ticket;
  const category = t(`categories.${ticket.category}` as 'categories.general', {
    defaultValue: ticket.category,
  });
  const priority = t(`priorities.${ticket.priority}` as 'priorities.low', {
    defaultValue: ticket.priority,
  });
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 className="font-medium break-words">{subject}</h2>
          <p className="text-xs break-words text-muted">
            {[name, email, company].filter(Boolean).join(' · ')} · <RelativeTime at={createdAt} />
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Badge>{category}</Badge>
          <Badge tone={ticket.priority === 'urgent' ? 'danger' : 'neutral'}>{priority}</Badge>
          <span className="flex items-center">
            <code className="font-mono text-xs">{ticketNumber}</code>
            <CopyButton text={ticketNumber} label={t('tickets.copy', { number: ticketNumber })} />
          </span>
        </div>
      </div>
      <p className="mt-3 text-sm break-words whitespace-pre-wrap">{message}</p>
    </Card>
  );
}
