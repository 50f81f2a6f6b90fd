import { listTickets } from '@tallyhand/contracts/features/support/support.endpoints';
import { CATEGORIES, type Category } from '@tallyhand/contracts/features/support/support.fields';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { BookOpen, CircleHelp, Mail, MessageSquare, Phone, Users } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useGetCurrentUserQuery } from '../identity/identity.api.ts';
import { ContactCard, ResourceCard } from './contact-cards.tsx';
import { contactDetails } from './contact-details.ts';
import { PublicTitle } from './public-title.tsx';
import { TicketForm } from './ticket-form.tsx';

const isCategory = (value: string | null): value is Category =>
  CATEGORIES.some((category) => category === value);

/** Every way to reach whoever runs this; `?category=` opens the form with it chosen. */
export function ContactPage() {
  const { t } = useTranslation('support');
  const [params] = useSearchParams();
  const asked = params.get('category');
  const [isOpen, setOpen] = useState(isCategory(asked));
  const form = useRef<HTMLDivElement>(null);
  const reveal = () => {
    setOpen(true);
    // It may stand there already, further below.
    requestAnimationFrame(() => form.current?.querySelector('input')?.focus());
  };
  const { email, phone, officeAddress, communityUrl } = contactDetails;
  return (
    <>
      <PublicTitle title={t('title')} description={t('description')} tab={t('tab')} />
      <div className="mx-auto flex max-w-[1200px] flex-col gap-12 px-6 py-12">
        <ul className="grid gap-6 md:grid-cols-3">
          <ContactCard
            icon={Mail}
            kind="email"
            reveal={reveal}
            {...(email && { link: { href: `mailto:${email}`, label: email } })}
          />
          <ContactCard icon={MessageSquare} kind="chat" reveal={reveal} />
          <ContactCard
            icon={Phone}
            kind="phone"
            reveal={reveal}
            {...(phone && { link: { href: `tel:${phone.replaceAll(' ', '')}`, label: phone } })}
          />
        </ul>
        <section className="max-w-[720px]" ref={form}>
          <h2 className="text-lg font-semibold">{t('send.title')}</h2>
          <p className="mt-1 text-muted">{t('send.text')}</p>
          {isOpen ? (
            <Ticket category={isCategory(asked) ? asked : 'general'} />
          ) : (
            <Button variant="primary" size="lg" className="mt-4" onClick={reveal}>
              {t('send.open')}
            </Button>
          )}
        </section>
        <section>
          <h2 className="text-lg font-semibold">{t('resources.title')}</h2>
          <ul className="mt-4 grid gap-6 md:grid-cols-3">
            <ResourceCard icon={BookOpen} kind="documentation" to="/documentation" />
            <ResourceCard icon={CircleHelp} kind="faq" to="/help" />
            {communityUrl && <ResourceCard icon={Users} kind="forum" to={communityUrl} />}
          </ul>
        </section>
        <div className="grid gap-6 md:grid-cols-2">
          <Card className="p-6">
            <h2 className="text-lg font-semibold">{t('hours.title')}</h2>
            <p className="mt-2">{t('hours.week')}</p>
            <p className="mt-1 text-muted">{t('hours.emergency')}</p>
          </Card>
          {officeAddress && (
            <Card className="p-6">
              <h2 className="text-lg font-semibold">{t('office.title')}</h2>
              <address className="mt-2 whitespace-pre-line not-italic">{officeAddress}</address>
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

/** The form, filled with what is known of the sender, and afterwards the ticket's number. */
function Ticket({ category }: { category: Category }) {
  const { t } = useTranslation('support');
  const { data: user, isLoading } = useGetCurrentUserQuery();
  const [sent, setSent] = useState<string>();
  if (isLoading) return <div className="min-h-[560px]" />;
  if (!sent) {
    const sender = {
      name: user?.username ?? '',
      email: user?.email ?? '',
      company: user?.organization.name ?? '',
    };
    return (
      <Card className="mt-4 p-6">
        <TicketForm sender={sender} category={category} onSent={setSent} />
      </Card>
    );
  }
  const isAdmin = user && mayCall(user.role, listTickets);
  return (
    <Card className="mt-4 flex flex-col items-start gap-3 p-6" role="status">
      <p className="flex items-center gap-2">
        {t('sent.number')} <code className="font-mono font-semibold">{sent}</code>
        <CopyButton text={sent} label={t('sent.copy')} />
      </p>
      <p className="text-muted">{t('sent.text')}</p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setSent(undefined)}>{t('sent.another')}</Button>
        {isAdmin && (
          <ButtonLink variant="ghost">
            <Link to="/support">{t('sent.all')}</Link>
          </ButtonLink>
        )}
      </div>
    </Card>
  );
}
