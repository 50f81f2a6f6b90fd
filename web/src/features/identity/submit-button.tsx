import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';

/** Sends a form of the sign-in page. */
export function SubmitButton({ pending, children }: { pending: boolean; children: ReactNode }) {
  const { t } = useTranslation('identity');
  return (
    <Button
      type="submit"
      variant="primary"
      size="lg"
      className="mt-2 text-sm"
      pending={pending}
      pendingLabel={t('pending')}
    >
      {children}
    </Button>
  );
}
