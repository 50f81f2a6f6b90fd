import { useTranslation } from 'react-i18next';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';

type LinkPanelProps = {
  /** What a link from a mail does, and the verb for doing it. */
  intro: string;
  label: string;
  /** The title over `error`. */
  failed: string;
  error: Parameters<typeof describeProblem>[1];
  pending: boolean;
  onConfirm: () => void;
};

/**
 * Asks before a link from a mail takes effect: programs that read mail open links too. A link that has
 * expired can't be tried again.
 */
export function LinkPanel({ intro, label, failed, error, pending, onConfirm }: LinkPanelProps) {
  const { t } = useTranslation('identity');
  const problem = error !== undefined && (
    <Banner tone="danger" title={failed}>
      {describeProblem(t, error)}
    </Banner>
  );
  if (problem && asProblem(error).code === 'link-not-valid') return problem;
  return (
    <div className="flex flex-col gap-4">
      {problem}
      <p className="text-muted">{intro}</p>
      <Button
        variant="primary"
        size="lg"
        className="text-sm"
        pending={pending}
        pendingLabel={t('pending')}
        onClick={onConfirm}
      >
        {label}
      </Button>
    </div>
  );
}
