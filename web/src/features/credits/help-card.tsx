import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';

/** Whom to ask: the support form, with what it is about chosen already. */
export function HelpCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection title={t('help.title')}>
      <p className="text-muted">{t('help.text')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <ButtonLink>
          <Link to="/contact?category=general">{t('help.sales')}</Link>
        </ButtonLink>
        <ButtonLink>
          <Link to="/contact?category=billing">{t('help.support')}</Link>
        </ButtonLink>
        <ButtonLink variant="ghost">
          <Link to="/support">{t('help.tickets')}</Link>
        </ButtonLink>
      </div>
    </CardSection>
  );
}
