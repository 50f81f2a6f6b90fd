import {
  CENTS_PER_CREDIT_MAX,
  CENTS_PER_CREDIT_MIN,
  CURRENCY,
} from '@tallyhand/contracts/features/credits/credits.prices';
import {
  BookOpen,
  Bot,
  Check,
  Clock,
  type LucideIcon,
  Mail,
  MapPin,
  Phone,
  ReceiptText,
  ShieldCheck,
  Users,
  Wrench,
} from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PartBoundary } from '../../app/page-boundary.tsx';
import { laterPart } from '../../app/part.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { contactDetails } from '../support/contact-details.ts';
import { type PictureFile, ProductPicture } from '../support/product-picture.tsx';
import { headerLinkClass, PublicFooter, PublicHeader } from '../support/public-header.tsx';
import { usePageHead, usePlace } from '../support/public-title.tsx';
import { RichText } from '../support/rich-text.tsx';
import { claims, Hero, type UseCase } from './hero.tsx';

const features = {
  agents: Bot,
  knowledge: BookOpen,
  billing: ReceiptText,
  security: ShieldCheck,
  team: Users,
  tools: Wrench,
} as const satisfies Record<string, LucideIcon>;
const useCases: readonly UseCase[] = ['support', 'content', 'analysis', 'workflow'];
const scenarios = ['shop', 'research', 'audit'] as const;
const anchors = ['features', 'pricing', 'testimonials', 'contact'] as const;

export function LandingPage() {
  const { t } = useTranslation('landing');
  usePageHead({ title: t('title'), description: t('description') });
  usePlace();
  return (
    <div className="flex min-h-dvh flex-col text-base">
      <PublicHeader>
        {anchors.map((anchor) => (
          <a key={anchor} href={`#${anchor}`} className={headerLinkClass}>
            {t(`nav.${anchor}`)}
          </a>
        ))}
      </PublicHeader>
      <main id="content" tabIndex={-1} className="flex-1 outline-none">
        <Hero />
        <Glimpse />
        <Features />
        <UseCases />
        <PricingSection />
        <Scenarios />
        <ContactSection />
      </main>
      <PublicFooter />
    </div>
  );
}

// Only its own picture: the addresses of all would weigh more than this part of the page.
const atWorkFiles = import.meta.glob<string>('../../../../docs/images/work-*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
});
const atWork: PictureFile = (look) => atWorkFiles[`../../../../docs/images/work-${look}.webp`];

/** The product itself: an agent that has answered, with its sources. */
function Glimpse() {
  const { t } = useTranslation('landing');
  return (
    <figure className="mx-auto max-w-[1200px] px-6 pb-16 max-sm:max-w-[420px]">
      <ProductPicture file={atWork} alt={t('glimpse.alt')} />
      <figcaption className="mt-3 text-sm text-muted">{t('glimpse.text')}</figcaption>
    </figure>
  );
}

function Features() {
  const { t } = useTranslation('landing');
  return (
    <section id="features" className="border-t border-line bg-surface">
      <div className="mx-auto max-w-[1200px] px-6 py-16">
        <SectionTitle>{t('features.title')}</SectionTitle>
        <ul className="mt-8 grid gap-x-6 gap-y-8 sm:grid-cols-2 md:grid-cols-3">
          {(Object.keys(features) as (keyof typeof features)[]).map((key) => {
            const Icon = features[key];
            return (
              <li key={key}>
                <Icon aria-hidden className="size-6 text-accent" />
                <h3 className="mt-3 font-semibold">{t(`features.items.${key}.title`)}</h3>
                <p className="mt-1 max-w-[44ch] text-muted">{t(`features.items.${key}.text`)}</p>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}

function UseCases() {
  const { t } = useTranslation('landing');
  return (
    <section className="border-t border-line">
      <div className="mx-auto max-w-[1200px] px-6 py-16">
        <SectionTitle>{t('useCases.title')}</SectionTitle>
        <ul className="mt-8 grid gap-6 sm:grid-cols-2 md:grid-cols-4">
          {useCases.map((key) => (
            <Card key={key} title={t(`useCases.items.${key}.title`)}>
              <p className="mt-1 flex-1 text-muted">{t(`useCases.items.${key}.text`)}</p>
              {claims.useCases[key] && (
                <p className="mt-4 border-t border-line pt-3 tabular font-semibold">
                  {t(`useCases.items.${key}.claim`, { number: claims.useCases[key] })}
                </p>
              )}
            </Card>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** These examples describe uses and quote no one. */
function Scenarios() {
  const { t } = useTranslation('landing');
  return (
    <section id="testimonials" className="border-t border-line">
      <div className="mx-auto max-w-[1200px] px-6 py-16">
        <SectionTitle>{t('scenarios.title')}</SectionTitle>
        <ul className="mt-8 grid gap-6 md:grid-cols-3">
          {scenarios.map((key) => (
            <Card key={key} title={t(`scenarios.items.${key}.title`)}>
              <p className="mt-1 text-muted">{t(`scenarios.items.${key}.text`)}</p>
            </Card>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="flex flex-col rounded-lg border border-line bg-surface p-6">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </li>
  );
}

function FormLoading() {
  const { t } = useTranslation('landing');
  return <span className="sr-only">{t('contact.loading')}</span>;
}

const ContactForm = laterPart(
  ['problems', 'support', 'validation'],
  async () => (await import('../support/contact-form.tsx')).ContactForm,
  FormLoading,
);

/** The form, which loads when it is about to be visible, and the other contact options. */
function ContactSection() {
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
              <ContactForm />
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

/** How far below the window something counts as near. */
const MARGIN = '600px';

/** Turns true, and stays so, when the element comes close to what is seen. */
function useNear(element: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!element.current || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setNear(true),
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isNear]);
  return isNear;
}

const points = ['free', 'card', 'failed', 'members', 'ledger'] as const;

/** The one plan that there is, and what a credit of the packages costs. */
function PricingSection() {
  const { t, i18n } = useTranslation('landing');
  const { pricePerTask } = claims;
  const money = (amount: number) =>
    numberFormat(i18n.language, { style: 'currency', currency: CURRENCY }).format(amount);
  return (
    <section id="pricing" className="border-t border-line bg-surface">
      <div className="mx-auto grid max-w-[1200px] gap-8 px-6 py-16 md:grid-cols-2">
        <div>
          <SectionTitle>{t('pricing.title')}</SectionTitle>
          <p className="mt-4 max-w-[44ch] text-muted">{t('pricing.text')}</p>
          <p className="mt-4 max-w-[44ch] text-muted">
            <RichText
              text={t('pricing.packages', {
                least: money(CENTS_PER_CREDIT_MIN / 100),
                most: money(CENTS_PER_CREDIT_MAX / 100),
              })}
            />
          </p>
        </div>
        <div className="rounded-lg border border-line bg-background p-6">
          <h3 className="font-semibold">{t('pricing.plan')}</h3>
          <p className="mt-2">
            <span className="tabular text-2xl font-semibold">
              {pricePerTask === null ? t('pricing.credit') : money(pricePerTask)}
            </span>{' '}
            <span className="text-muted">{t('pricing.unit')}</span>
          </p>
          {pricePerTask !== null && (
            <p className="mt-2 max-w-[44ch] text-sm text-muted">{t('pricing.claim')}</p>
          )}
          <ul className="mt-6 flex flex-col gap-3">
            {points.map((key) => (
              <li key={key} className="flex items-start gap-3">
                <Check aria-hidden className="mt-1 size-4 shrink-0 text-success" />
                {t(`pricing.points.${key}`)}
              </li>
            ))}
          </ul>
          <ButtonLink variant="primary" size="lg" className="mt-8 w-full" to="/auth?tab=register">
            {t('pricing.start')}
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}

/** The title of a part of the landing page, begun with a stroke in ink. */
function SectionTitle({ children }: { children: ReactNode }) {
  return (
    <h2 className="flex items-center gap-4 text-2xl font-semibold tracking-tight">
      <span aria-hidden className="h-8 w-1 shrink-0 rotate-6 rounded-full bg-accent" />
      {children}
    </h2>
  );
}
