import type { LucideIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Button } from '../../ui/button.tsx';

type ContactCardProps = {
  icon: LucideIcon;
  kind: 'email' | 'chat' | 'phone';
  /** Where it is staffed; otherwise the form takes its place. */
  link?: { href: string; label: string };
  reveal: () => void;
};

const cardClass = 'flex flex-col rounded-lg border border-line bg-surface p-6';

export function ContactCard({ icon: Icon, kind, link, reveal }: ContactCardProps) {
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

type ResourceCardProps = {
  icon: LucideIcon;
  kind: 'documentation' | 'faq' | 'forum';
  /** A page of ours, or an address. */
  to: string;
};

export function ResourceCard({ icon: Icon, kind, to }: ResourceCardProps) {
  const { t } = useTranslation('support');
  return (
    <li className={cardClass}>
      <Icon aria-hidden className="size-6 text-accent" />
      <h3 className="mt-3 font-semibold">{t(`resources.${kind}.title`)}</h3>
      <p className="mt-1 mb-4 flex-1 text-muted">{t(`resources.${kind}.text`)}</p>
      <Link to={to} className="self-start text-accent underline underline-offset-4">
        {t(`resources.${kind}.link`)}
      </Link>
    </li>
  );
}
