import { Clock, Mail, MapPin, Phone } from 'lucide-react';
import { type ReactNode, Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { PartBoundary } from '../../app/page-boundary.tsx';
import { part } from '../../app/part.ts';
import { contactDetails } from '../support/contact-details.ts';
import { RichText } from '../support/rich-text.tsx';
import { claims } from './claims.ts';
import { SectionTitle } from './section-title.tsx';
import { useNear } from './use-near.ts';

const ContactForm = part(
  [],
  ['problems', 'support', 'validation'],
  async () => (await import('../support/contact-form.tsx')).ContactForm,
);

/** The form, which comes when somebody is about to see it, and the other ways to reach us. */
export function ContactSection() {
  const { t } = useTranslation('landing');
  const section = useRef<HTMLElement>(null);
  const isNear = useNear(section);
  const { replyHours } = claims;
  return (
    <section ref={section} id="contact" className="border-t border-line bg-surface">
      <div className="mx-auto grid max-w-[1200px] gap-8 px-6 py-16 md:grid-cols-2">
        <div>
          <SectionTitle>{t('contact.title')}</SectionTitle>
          <p className="mt-4 max-w-[44ch] text-muted">
            {replyHours === null ? t('contact.text') : t('contact.promise', { count: replyHours })}
          </p>
          <Details />
          <p className="mt-6">
            <RichText text={t('contact.tickets')} />
          </p>
        </div>
        <div className="min-h-[440px] sm:min-h-[376px]">
          {isNear && (
            <PartBoundary>
              <Suspense fallback={<span className="sr-only">{t('contact.loading')}</span>}>
                <ContactForm />
              </Suspense>
            </PartBoundary>
          )}
        </div>
      </div>
    </section>
  );
}

function Details() {
  const { t } = useTranslation('landing');
  const { email, phone, officeAddress } = contactDetails;
  return (
    <ul className="mt-6 flex flex-col gap-3">
      {email && <Detail icon={Mail}>{<a href={`mailto:${email}`}>{email}</a>}</Detail>}
      {phone && (
        <Detail icon={Phone}>{<a href={`tel:${phone.replaceAll(' ', '')}`}>{phone}</a>}</Detail>
      )}
      {officeAddress && (
        <Detail icon={MapPin}>
          <address className="whitespace-pre-line not-italic">{officeAddress}</address>
        </Detail>
      )}
      <Detail icon={Clock}>{t('contact.hours')}</Detail>
    </ul>
  );
}

function Detail({ icon: Icon, children }: { icon: typeof Mail; children: ReactNode }) {
  return (
    <li className="flex items-start gap-3 [&_a]:text-accent [&_a]:underline [&_a]:underline-offset-4">
      <Icon aria-hidden className="mt-1 size-4 shrink-0 text-muted" />
      {children}
    </li>
  );
}
