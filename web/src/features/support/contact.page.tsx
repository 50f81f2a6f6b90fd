import { listTickets } from '@tallyhand/contracts/features/support/support.endpoints';
import {
  CATEGORIES,
  type Category,
  PRIORITIES,
  TicketInput,
} from '@tallyhand/contracts/features/support/support.fields';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { COMMUNITY_PATH } from '@tallyhand/contracts/web-paths';
import {
  BookOpen,
  CircleHelp,
  type LucideIcon,
  Mail,
  MessageSquare,
  Phone,
  Users,
} from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input, Select, Textarea } from '../../ui/field.tsx';
import { CopyButton } from '../../ui/icon-button.tsx';
import { Link } from '../../ui/link.tsx';
import { useGetCurrentUserQuery } from '../identity/identity.api.ts';
import { contactDetails } from './contact-details.ts';
import { SenderFields, TrapField } from './contact-form.tsx';
import { PublicTitle } from './public-title.tsx';
import { useOpenTicketMutation } from './support.api.ts';

const isCategory = (value: string | null): value is Category =>
  CATEGORIES.some((category) => category === value);

/** Every way to reach the operator; `?category=` opens the form with it chosen. */
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
  const { email, phone, officeAddress } = contactDetails;
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
            {/* The server leads to the operator's forum, or back to the form of this page. */}
            <ResourceCard icon={Users} kind="forum" to={COMMUNITY_PATH} />
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
          <ButtonLink variant="ghost" to="/support">
            {t('sent.all')}
          </ButtonLink>
        )}
      </div>
    </Card>
  );
}

type ContactCardProps = {
  icon: LucideIcon;
  kind: 'email' | 'chat' | 'phone';
  /** Where it is staffed; otherwise the form takes its place. */
  link?: { href: string; label: string };
  reveal: () => void;
};

const cardClass = 'flex flex-col rounded-lg border border-line bg-surface p-6';

function ContactCard({ icon: Icon, kind, link, reveal }: ContactCardProps) {
  const { t } = useTranslation('support');
  return (
    <li className={cardClass}>
      <Icon aria-hidden className="size-6 text-accent" />
      <h2 className="mt-3 font-semibold">{t(`channels.${kind}.title`)}</h2>
      <p className="mt-1 mb-4 flex-1 text-muted">{t(`channels.${kind}.text`)}</p>
      {link ? (
        <a href={link.href} className="self-start text-accent underline underline-offset-4">
          {link.label}
        </a>
      ) : (
        <Button className="self-start" onClick={reveal}>
          {t(`channels.${kind}.action`)}
        </Button>
      )}
    </li>
  );
}

const RESOURCE_LINK = 'self-start text-accent underline underline-offset-4';

type ResourceCardProps = {
  icon: LucideIcon;
  kind: 'documentation' | 'faq' | 'forum';
  to: string;
};

function ResourceCard({ icon: Icon, kind, to }: ResourceCardProps) {
  const { t } = useTranslation('support');
  return (
    <li className={cardClass}>
      <Icon aria-hidden className="size-6 text-accent" />
      <h3 className="mt-3 font-semibold">{t(`resources.${kind}.title`)}</h3>
      <p className="mt-1 mb-4 flex-1 text-muted">{t(`resources.${kind}.text`)}</p>
      {kind === 'forum' ? (
        <a href={to} className={RESOURCE_LINK}>
          {t(`resources.${kind}.link`)}
        </a>
      ) : (
        <Link to={to} className={RESOURCE_LINK}>
          {t(`resources.${kind}.link`)}
        </Link>
      )}
    </li>
  );
}

type TicketFormProps = {
  /** The signed-in user, if any. */
  sender: { name: string; email: string; company: string };
  category: Category;
  onSent: (ticketNumber: string) => void;
};

function useTicketForm({ sender, category, onSent }: TicketFormProps) {
  const { t } = useTranslation('support');
  const form = useContractForm(TicketInput, {
    ...sender,
    subject: '',
    message: '',
    priority: 'medium',
    category,
    fax: '',
  });
  const [open] = useOpenTicketMutation();
  const { submit, pending } = useSubmit(form, {
    send: open,
    done: { title: t('toasts.sent'), description: t('toasts.sentDescription') },
    failed: t('toasts.failed'),
    onDone: ({ ticketNumber }) => onSent(ticketNumber),
  });
  return { form, submit, pending };
}

function TicketForm(props: TicketFormProps) {
  const { t } = useTranslation('support');
  const message = useFieldMessage();
  const { form, submit, pending } = useTicketForm(props);
  const { errors } = form.formState;
  return (
    <form noValidate onSubmit={submit} className="relative flex flex-col gap-4">
      <SenderFields register={form.register} errors={errors} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('form.category')} error={message(errors.category)}>
          <Select
            options={CATEGORIES.map((value) => ({ value, label: t(`categories.${value}`) }))}
            {...form.register('category')}
          />
        </Field>
        <Field label={t('form.priority')} error={message(errors.priority)}>
          <Select
            options={PRIORITIES.map((value) => ({ value, label: t(`priorities.${value}`) }))}
            {...form.register('priority')}
          />
        </Field>
      </div>
      <Field label={t('form.subject')} error={message(errors.subject)} required>
        <Input autoComplete="off" {...form.register('subject')} />
      </Field>
      <Field label={t('form.message')} error={message(errors.message)} required>
        <Textarea rows={6} {...form.register('message')} />
      </Field>
      <TrapField {...form.register('fax')} />
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="self-start"
        pending={pending}
        pendingLabel={t('form.sending')}
      >
        {t('form.send')}
      </Button>
    </form>
  );
}
