import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useSignOut } from '../identity/use-sign-out.ts';

/** Shown to an Auditor after the last day, in place of every page. */
export function AccessEnded({ error }: { error: unknown }) {
  const { t } = useTranslation('audit');
  const { t: common } = useTranslation('common');
  const { signOut, pending } = useSignOut('/auth');
  useTitle(t('auditor.ended'));
  return (
    <main className="mx-auto max-w-md p-6 pt-16">
      <ErrorState
        title={t('auditor.ended')}
        description={describeProblem(common, error)}
        level="h1"
      >
        <Button className="mt-4" onClick={signOut} pending={pending}>
          {common('shell.signOut')}
        </Button>
      </ErrorState>
    </main>
  );
}
