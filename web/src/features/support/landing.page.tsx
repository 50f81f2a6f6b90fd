import {
  BookOpen,
  Bot,
  Check,
  type LucideIcon,
  Quote,
  ReceiptText,
  ShieldCheck,
  Users,
} from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useTitle } from '../../app/use-title.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Logo, Mark } from '../../ui/logo.tsx';

// Their menus weigh more than the page: it is read meanwhile.
const Switchers = lazy(async () => ({
  default: (await import('../../app/switchers.tsx')).Switchers,
}));

const features = {
  agents: Bot,
  knowledge: BookOpen,
  sources: Quote,
  billing: ReceiptText,
  security: ShieldCheck,
  team: Users,
} as const satisfies Record<string, LucideIcon>;
const useCases = ['support', 'content', 'analysis', 'workflow'] as const;
const pricePoints = ['free', 'card', 'failed', 'members', 'ledger'] as const;

export function LandingPage() {
  const { t } = useTranslation('landing');
  useTitle(t('title'));
  return (
    <div className="flex min-h-dvh flex-col text-base">
      <Header />
      <main className="flex-1">
        <Hero />
        <Features />
        <UseCases />
        <Pricing />
      </main>
      <footer className="border-t border-line">
        <div className="mx-auto flex max-w-[1200px] flex-wrap items-center justify-between gap-4 px-6 py-8 text-sm text-muted">
          <Logo />
          <span>{t('footer.text')}</span>
        </div>
      </footer>
    </div>
  );
}

function Header() {
  const { t } = useTranslation('landing');
  const anchor = 'rounded-sm text-sm text-muted hover:text-text';
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-background">
      <div className="mx-auto flex h-14 max-w-[1200px] items-center gap-1 px-4 sm:px-6">
        <Link to="/" className="flex rounded-sm">
          <Logo />
        </Link>
        <nav aria-label={t('nav.label')} className="ml-8 hidden gap-6 md:flex">
          <a href="#features" className={anchor}>
            {t('nav.features')}
          </a>
          <a href="#use-cases" className={anchor}>
            {t('nav.useCases')}
          </a>
          <a href="#pricing" className={anchor}>
            {t('nav.pricing')}
          </a>
        </nav>
        <div className="flex-1" />
        <span className="hidden min-w-[100px] justify-end sm:inline-flex">
          <Suspense>
            <Switchers />
          </Suspense>
        </span>
        <ButtonLink variant="ghost" className="px-3">
          <Link to="/auth">{t('nav.signIn')}</Link>
        </ButtonLink>
        <ButtonLink>
          <Link to="/auth?tab=register">{t('nav.signUp')}</Link>
        </ButtonLink>
      </div>
    </header>
  );
}

function Hero() {
  const { t } = useTranslation('landing');
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
        <ButtonLink size="lg">
          <a href="#features">{t('hero.more')}</a>
        </ButtonLink>
      </div>
      <p className="mt-6 text-sm text-muted">{t('hero.facts')}</p>
    </section>
  );
}

function Features() {
  const { t } = useTranslation('landing');
  return (
    <section id="features" className="border-t border-line bg-surface">
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
    <section id="use-cases" className="border-t border-line">
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
    <section id="pricing" className="border-t border-line bg-surface">
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
