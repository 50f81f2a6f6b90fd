import {
  BookOpen,
  Bot,
  type LucideIcon,
  ReceiptText,
  ShieldCheck,
  Users,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageHead } from '../support/page-head.ts';
import { ProductPicture } from '../support/product-picture.tsx';
import { PublicFooter } from '../support/public-footer.tsx';
import { headerLinkClass, PublicHeader } from '../support/public-header.tsx';
import { usePlace } from '../support/use-place.ts';
import { claims, type UseCase } from './claims.ts';
import { ContactSection } from './contact-section.tsx';
import { Hero } from './hero.tsx';
import { PricingSection } from './pricing-section.tsx';
import { SectionTitle } from './section-title.tsx';

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

/** The product itself, as it looks with work in it. */
function Glimpse() {
  const { t } = useTranslation('landing');
  return (
    <figure className="mx-auto max-w-[1200px] px-6 pb-16 max-sm:max-w-[420px]">
      <ProductPicture image="ledger" alt={t('glimpse.alt')} />
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

/** Whose words these are is nobody's: they tell of uses, and quote no one. */
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
