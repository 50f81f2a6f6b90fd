import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { type LucideIcon, X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { listFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListHistoryInfiniteQuery, type VersionedKind } from './audit.api.ts';

/** May take the focus when it appears: a screen reader then reads its title and its summary. */
export function OtherChangePanel({
  icon: Icon,
  title,
  entries,
  version,
  summary,
  takesFocus = true,
  end,
  children,
}: {
  icon: LucideIcon;
  title: string;
  entries: readonly HistoryEntry[] | undefined;
  version?: number;
  summary: string;
  takesFocus?: boolean;
  /** Hides it. */
  end: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation('audit');
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!takesFocus) return;
    panel.current?.focus({ preventScroll: true });
    // A long panel is read from its beginning.
    panel.current?.scrollIntoView({ block: 'start' });
  }, [takesFocus]);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-summary`}
      className="flex shrink-0 flex-col gap-3 rounded-lg border border-border bg-surface p-4"
    >
      <div className="flex items-start gap-3">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        <div className="min-w-0 flex-1">
          <h3 id={`${id}-title`} className="font-semibold">
            {title}
          </h3>
          <Authors entries={entries} version={version} />
        </div>
        <IconButton icon={X} label={t('conflict.hide')} onClick={end} className="-mt-2 -mr-2" />
      </div>
      <p id={`${id}-summary`}>{summary}</p>
      {children}
    </section>
  );
}

/** Who made the changes, and when the last one was made. As high while it loads. */
function Authors({
  entries,
  version,
}: {
  entries: readonly HistoryEntry[] | undefined;
  version: number | undefined;
}) {
  const { t, i18n } = useTranslation('audit');
  const user = useCurrentUser();
  const nameOf = ({ actor }: HistoryEntry) => {
    if (actor.id === user.id) return t('conflict.you');
    return actor.name ?? (actor.id ? t('formerMember') : t('system'));
  };
  const names = [...new Set(entries?.map(nameOf))];
  const at = entries?.[0]?.createdAt;
  return (
    <p className="min-h-4 text-xs break-words text-muted">
      {at && (
        <>
          {listFormat(i18n.language, { type: 'conjunction' }).format(names)} ·{' '}
          <RelativeTime at={at} />
        </>
      )}
      {version !== undefined && ` · ${t('version', { version })}`}
    </p>
  );
}

/** The newest entries of an object's history; undefined until they are loaded. */
export function useHistory(object: { kind: VersionedKind; id: string }) {
  const history = useListHistoryInfiniteQuery(object, { refetchOnMountOrArgChange: true });
  return history.isFetching ? undefined : history.currentData?.pages[0]?.entries;
}
