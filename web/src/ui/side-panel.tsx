import * as Radix from '@radix-ui/react-dialog';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';
import { IconButton } from './icon-button.tsx';
import { useReturnFocus } from './return-focus.ts';
import { openerOf } from './row-opening.ts';
import { useMediaQuery } from './use-media-query.ts';

/** The rows before and after the open one; absent at either end of the list. */
export type RowSteps = {
  previous?: (() => void) | undefined;
  next?: (() => void) | undefined;
};

type SidePanelProps = {
  /** The key of the row in its table. */
  rowKey: string;
  title: string;
  steps: RowSteps;
  close: () => void;
  /** A body like a dialog's: `DialogBody`, and `DialogFooter` below it. */
  children: ReactNode;
};

const IN_A_FIELD = 'input, textarea, select, [contenteditable]';

/** Which way a key leads from the open row. */
function stepOf({ key, target, currentTarget, ctrlKey, metaKey, altKey }: KeyboardEvent) {
  const at = target as HTMLElement;
  // Dialogs opened here are no part of the panel, although their events arrive.
  if (!currentTarget.contains(at) || at.closest(IN_A_FIELD)) return undefined;
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === 'j') return 'next';
  if (key === 'k') return 'previous';
  // Arrows scroll the text where the focus is in it.
  if (at !== currentTarget && !at.closest('[data-steps]')) return undefined;
  if (key === 'ArrowDown') return 'next';
  return key === 'ArrowUp' ? 'previous' : undefined;
}

/** Closing a panel leaves the focus to the page, unless something else has taken it. */
const isElsewhere = () =>
  document.activeElement !== null && document.activeElement !== document.body;

/**
 * The details of a row at the right of its table, which stays usable; over it where the window is
 * narrow, and as a full-height sheet on a phone. The focus returns to the row that was open last.
 */
export function SidePanel({ rowKey, title, steps, close, children }: SidePanelProps) {
  const isDocked = useMediaQuery('(min-width: 1200px)');
  const content = useRef<HTMLDivElement>(null);
  const { remember, onCloseAutoFocus } = useReturnFocus();
  const takeFocus = useEffectEvent((_row: string) => {
    if (!content.current?.contains(document.activeElement)) content.current?.focus();
  });
  useEffect(() => takeFocus(rowKey), [rowKey]);
  return (
    <Radix.Root open modal={!isDocked} onOpenChange={(open) => !open && close()}>
      <Radix.Portal>
        {!isDocked && <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />}
        <Radix.Content
          ref={content}
          data-side-panel
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            remember();
            content.current?.focus();
          }}
          onCloseAutoFocus={(event) => {
            const row = openerOf(rowKey);
            // What the user has moved on to keeps the focus: a popover would close without it.
            if (isElsewhere()) return event.preventDefault();
            if (!row) return onCloseAutoFocus(event);
            event.preventDefault();
            row.focus();
          }}
          onInteractOutside={(event) => isDocked && event.preventDefault()}
          onKeyDown={(event) => {
            const step = stepOf(event);
            if (!step) return;
            event.preventDefault();
            steps[step]?.();
          }}
          className={cx(
            'fixed inset-y-0 right-0 z-40 flex w-full animate-fade flex-col border-line bg-raised',
            'shadow-float outline-none sm:w-(--side-panel) sm:border-l print:hidden',
            'lg:top-14 lg:z-20 lg:shadow-none',
          )}
        >
          <div className="flex items-center gap-1 py-3 pr-3 pl-6">
            <Radix.Title className="min-w-0 flex-1 text-base font-semibold break-words">
              {title}
            </Radix.Title>
            <StepButtons steps={steps} />
            <CloseButton />
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** They keep the focus at either end: a disabled button would lose it. */
function StepButtons({ steps: { previous, next } }: { steps: RowSteps }) {
  const { t } = useTranslation('common');
  const away = 'aria-disabled:opacity-55 aria-disabled:hover:bg-transparent';
  return (
    <span data-steps className="inline-flex">
      <IconButton
        icon={ChevronUp}
        label={t('panel.previous')}
        aria-keyshortcuts="k"
        aria-disabled={!previous}
        className={away}
        onClick={previous}
      />
      <IconButton
        icon={ChevronDown}
        label={t('panel.next')}
        aria-keyshortcuts="j"
        aria-disabled={!next}
        className={away}
        onClick={next}
      />
    </span>
  );
}

function CloseButton() {
  const { t } = useTranslation('common');
  return (
    <Radix.Close
      aria-label={t('actions.close')}
      className="inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text"
    >
      <X aria-hidden className="size-4" />
    </Radix.Close>
  );
}
