import { Dialog } from 'radix-ui';
import { useTranslation } from 'react-i18next';
import { Logo } from '../ui/logo.tsx';
import { SidebarLinks, SidebarPerson } from './sidebar.tsx';

/** The sidebar on narrow screens: it slides in from the left, and closes with a choice. */
export function SidebarDrawer({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation('common');
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // By default the first button, which signs out, would have the focus.
            event.preventDefault();
            (event.currentTarget as HTMLElement).focus();
          }}
          className="fixed inset-y-0 left-0 z-40 flex w-60 animate-from-left flex-col border-r border-line bg-surface shadow-float outline-none"
        >
          <div className="flex h-14 items-center border-b border-line px-5">
            <Dialog.Title className="sr-only">{t('shell.menu')}</Dialog.Title>
            <Logo />
          </div>
          <SidebarLinks collapsed={false} />
          <SidebarPerson collapsed={false} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
