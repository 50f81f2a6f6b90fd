import { useTranslation } from 'react-i18next';
import { Restricted } from '../../app/page.tsx';

/** A page that is not for Auditors. */
export function NoAccess() {
  const { t } = useTranslation('audit');
  const instead = {
    title: t('auditor.noAccess.title'),
    description: t('auditor.noAccess.description'),
  };
  return <Restricted title={instead.title} instead={instead} />;
}
