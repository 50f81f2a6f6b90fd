import { type Access, mayCall } from '@tallyhand/contracts/kernel/access';
import { Lock } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCurrentUser } from '../features/identity/identity.api.ts';
import { cx } from '../ui/cx.ts';
import type { Filling } from './filling.ts';
import { useTitle } from './use-title.ts';

type PageProps = {
  title: string;
  /** The title in the tab, where it is another. */
  tab?: string;
  /** One line of what the page is for. */
  description?: string;
  /** What else can be done. */
  action?: ReactNode;
  /** The one primary action; on a phone it stays at the bottom, within reach of the thumb. */
  primary?: ReactNode;
  /**
   * Of a list whose empty state offers the primary action, too: the header then leaves it out. It
   * shows no action before that is known, and keeps their place.
   */
  filling?: Filling;
  /** As wide as a form. */
  narrow?: boolean;
  children: ReactNode;
};

/** The frame of a page of members: its title, here and in the tab, above its parts. */
export function Page({
  title,
  tab,
  description,
  action,
  primary,
  filling = 'filled',
  narrow = false,
  children,
}: PageProps) {
  useTitle(tab ?? title);
  // What was known stays: another filter of the list hides nothing while its rows are loaded.
  const [known, setKnown] = useState(filling);
  if (filling !== 'unknown' && filling !== known) setKnown(filling);
  const offered = known === 'empty' ? undefined : primary;
  return (
    <div
      className={cx(
        'mx-auto flex w-full flex-col gap-6',
        narrow ? 'max-w-[560px]' : 'max-w-[1200px]',
      )}
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-48 sm:basis-80">
          <h1 className="text-lg font-semibold break-words">{title}</h1>
          {description && <p className="text-sm text-muted">{description}</p>}
        </div>
        {(action || offered) && (
          <div
            className={cx('flex flex-wrap items-center gap-2', known === 'unknown' && 'invisible')}
          >
            {action}
            {offered && (
              <div data-primary className="phone-bar">
                {offered}
              </div>
            )}
          </div>
        )}
      </div>
      {children}
    </div>
  );
}

type RestrictedProps = { title: string; instead: { title: string; description: string } };

/** A page for those who may make a call. Others read `instead`. */
export function RestrictedPage({
  needs,
  children,
  ...refused
}: RestrictedProps & { needs: Pick<Access, 'roles'>; children: ReactNode }) {
  const { role } = useCurrentUser();
  return mayCall(role, needs) ? children : <Restricted {...refused} />;
}

export function Restricted({ title, instead }: RestrictedProps) {
  useTitle(title);
  return (
    <div className="mx-auto mt-12 flex max-w-md flex-col items-center gap-1 rounded-lg border border-line bg-surface p-6 text-center">
      <Lock aria-hidden className="mb-2 size-6 text-muted" />
      <h1 className="text-base font-semibold">{instead.title}</h1>
      <p className="text-sm text-muted">{instead.description}</p>
    </div>
  );
}
