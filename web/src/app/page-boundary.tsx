import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../ui/error-state.tsx';
import { usePlaceOfPage } from '../ui/link.tsx';
import { Spinner } from '../ui/loading.tsx';
import { useWhenServerIsBack } from './connection.ts';

/**
 * Contains a failure, so that the rest of the page stays: a part that can't be loaded, as after an
 * update, or a bug. Navigation resets it.
 */
export function PageBoundary({ children }: { children: ReactNode }) {
  const { key } = usePlaceOfPage();
  return (
    <Boundary place={key} instead={<PageFailed />}>
      {children}
    </Boundary>
  );
}

/** The same around a part of a page that is loaded later. */
export function PartBoundary({ children }: { children: ReactNode }) {
  const { key } = usePlaceOfPage();
  return (
    <Boundary place={key} instead={<PartFailed />}>
      {children}
    </Boundary>
  );
}

type Props = { place: string; instead: ReactNode; children: ReactNode };
type State = { failedAt?: string };

class Boundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromProps({ place }: Props, { failedAt }: State): State | null {
    return failedAt !== undefined && failedAt !== place ? { failedAt: undefined } : null;
  }

  override componentDidCatch() {
    this.setState({ failedAt: this.props.place });
  }

  override render() {
    return this.state.failedAt === undefined ? this.props.children : this.props.instead;
  }
}

// Browsers cache a failed import: only reloading the page tries again.
const reload = () => location.reload();

function PageFailed() {
  useWhenServerIsBack(reload);
  const { t } = useTranslation('common');
  return (
    <ErrorState
      level="h1"
      title={t('error.pageFailed')}
      description={t('error.pageFailedDescription')}
      onRetry={reload}
    />
  );
}

function PartFailed() {
  useWhenServerIsBack(reload);
  const { t } = useTranslation('common');
  return (
    <ErrorState
      level="h3"
      title={t('error.loadFailed')}
      description={t('error.pageFailedDescription')}
      onRetry={reload}
    />
  );
}

export function PageSpinner() {
  const { t } = useTranslation('common');
  return (
    <div role="status" className="flex min-h-[60dvh] animate-late items-center justify-center">
      <Spinner className="size-6 text-muted" />
      <span className="sr-only">{t('loading')}</span>
    </div>
  );
}
