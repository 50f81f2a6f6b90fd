import { LogIn } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useTitle } from '../../app/use-title.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Shown to visitors at the shared address of an agent. */
export function ChatGuest() {
  const { t } = useTranslation('chat');
  useTitle(t('signIn.title'));
  return (
    <main className="mx-auto max-w-md px-4 py-12">
      <h1 className="sr-only">{t('heading')}</h1>
      <EmptyState
        icon={LogIn}
        title={t('signIn.title')}
        description={t('signIn.description')}
        action={
          <ButtonLink variant="primary" to="/auth">
            {t('signIn.action')}
          </ButtonLink>
        }
      />
    </main>
  );
}
