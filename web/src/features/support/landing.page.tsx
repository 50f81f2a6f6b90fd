import {
  BookOpen,
  Bot,
  Check,
  type LucideIcon,
  Play,
  Quote,
  ReceiptText,
  ShieldCheck,
  Users,
} from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { part } from '../../app/part.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Mark } from '../../ui/logo.tsx';
import { PublicFooter } from './public-footer.tsx';
import { headerLinkClass, PublicHeader } from './public-header.tsx';
import { useNear } from './use-near.ts';
import { usePlace } from './use-place.ts';

// What weighs more than the page comes when somebody is about to see it.
const DemoTour = part([], ['landing'], async () => (await import('./demo-tour.tsx')).DemoTour);
const ContactForm = part(
  [],
  ['problems', 'support', 'validation'],
  async () => (await import('./contact-form.tsx')).ContactForm,
);

const features = {
  agents: Bot,
  knowledge: BookOpen,
  sources: Quote,
  billing: ReceiptText,
  security: ShieldCheck,
  team: Users,
} as const satisfies Record<string, LucideIcon>;
const useCases = ['support', 'content', 'analysis', 'workflow'] as const;
const scenarios = ['shop', 'research', 'audit'] as const;
const pricePoints = ['free', 'card', 'failed', 'members', 'ledger'] as const;

export function LandingPage() {
  const { t } = useTranslation('landing');
  useTitle(t('title'));
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
        <Features />
        <UseCases />
        <Pricing />
        <Scenarios />
        <Contact />
      </main>
      <PublicFooter />
    </div>
  );
}

const anchors = ['features', 'pricing', 'testimonials', 'contact'] as const;

function Hero() {
  const { t } = useTranslation('landing');
  const [isShown, setShown] = useState(false);
  return (
    <section className="mx-auto max-w-[1200px] px-6 py-16 sm:py-24">
      <Mark className="mb-8 size-16" />
      <h1 className="max-w-[18ch] text-2xl font-semibold tracking-tight text-balance sm:text-4xl">
        {t('hero.title')}
      </h1>
      <p className="mt-4 max-w-[52ch] text-base text-muted sm:text-lg">{t('hero.text')}</p>
      <div className="mt-8 flex flex-col gap-3 sm:flex-row">
        <ButtonLink variant="primary" size="lg">
          <Link to="/auth?tab=register">{t('hero.start')}</Link>
        </ButtonLink>
        <Button size="lg" onClick={() => setShown(true)}>
          <Play aria-hidden />
          {t('hero.demo')}
        </Button>
      </div>
      <p className="mt-6 text-sm text-muted">{t('hero.facts')}</p>
      {isShown && (
        <Suspense>
          <DemoTour close={() => setShown(false)} />
        </Suspense>
      )}
    </section>
  );
}

function Features() {
  const { t } = useTranslation('landing');
  return (
    <section id="features" className="scroll-mt-14 border-t border-line bg-surface">
      <div className="mx-auto max-w-[1200px] px-6 py-16">
        <h2 className="text-2xl font-semibold">{t('features.title')}</h2>
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
        <h2 className="text-2xl font-semibold">{t('useCases.title')}</h2>
        <ul className="mt-8 grid gap-6 sm:grid-cols-2 md:grid-cols-4">
          {useCases.map((key) => (
            <li key={key} className="rounded-lg border border-line bg-surface p-6">
              <h3 className="font-semibold">{t(`useCases.items.${key}.title`)}</h3>
              <p className="mt-1 text-muted">{t(`useCases.items.${key}.text`)}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Pricing() {
  const { t } = useTranslation('landing');
  return (
    <section id="pricing" className="scroll-mt-14 border-t border-line bg-surface">
      <div className="mx-auto grid max-w-[1200px] gap-8 px-6 py-16 md:grid-cols-2">
        <div>
          <h2 className="text-2xl font-semibold">{t('pricing.title')}</h2>
          <p className="mt-2 max-w-[44ch] text-muted">{t('pricing.text')}</p>
        </div>
        <div className="rounded-lg border border-line bg-background p-6">
          <h3 className="font-semibold">{t('pricing.plan')}</h3>
          <p className="mt-2">
            <span className="text-2xl font-semibold">{t('pricing.price')}</span>{' '}
            <span className="text-muted">{t('pricing.unit')}</span>
          </p>
          <ul className="mt-6 flex flex-col gap-3">
            {pricePoints.map((key) => (
              <li key={key} className="flex items-start gap-3">
                <Check aria-hidden className="mt-1 size-4 shrink-0 text-success" />
                {t(`pricing.points.${key}`)}
              </li>
            ))}
          </ul>
          <ButtonLink variant="primary" size="lg" className="mt-8 w-full">
            <Link to="/auth?tab=register">{t('pricing.start')}</Link>
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}

/** Whose words these are is nobody's: they tell of uses, and quote no one. */
function Scenarios() {
  const { t } = useTranslation('landing');
  return (
    <section id="testimonials" className="scroll-mt-14 border-t border-line">
      <div className="mx-auto max-w-[1200px] px-6 py-16">
        <h2 className="text-2xl font-semibold">{t('scenarios.title')}</h2>
        <ul className="mt-8 grid gap-6 md:grid-cols-3">
          {scenarios.map((key) => (
            <li key={key} className="rounded-lg border border-line bg-surface p-6">
              <h3 className="font-semibold">{t(`scenarios.items.${key}.title`)}</h3>
              <p className="mt-1 text-muted">{t(`scenarios.items.${key}.text`)}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Contact() {
  const { t } = useTranslation('landing');
  const section = useRef<HTMLElement>(null);
  const isNear = useNear(section);
  return (
    <section ref={section} id="contact" className="scroll-mt-14 border-t border-line bg-surface">
      <div className="mx-auto grid max-w-[1200px] gap-8 px-6 py-16 md:grid-cols-2">
        <div>
          <h2 className="text-2xl font-semibold">{t('contact.title')}</h2>
          <p className="mt-2 max-w-[44ch] text-muted">{t('contact.text')}</p>
          <p className="mt-6">
            {t('contact.tickets')}{' '}
            <Link to="/contact" className="text-accent underline underline-offset-4">
              {t('contact.support')}
            </Link>
          </p>
        </div>
        <div className="min-h-[440px] sm:min-h-[376px]">
          {isNear && (
            <Suspense fallback={<span className="sr-only">{t('contact.loading')}</span>}>
              <ContactForm />
            </Suspense>
          )}
        </div>
      </div>
    </section>
  );
}
