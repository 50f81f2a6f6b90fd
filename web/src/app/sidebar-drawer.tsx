import * as Dialog from '@radix-ui/react-dialog';
import { languageFor, languages } from '@tallyhand/contracts/languages';
import { Settings } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Field, Select } from '../ui/field.tsx';
import { Logo } from '../ui/logo.tsx';
import { chooseTheme, themes, useTheme } from '../ui/theme.ts';
import { chooseLanguage } from './i18n.ts';
import { SidebarLink, SidebarLinks, SidebarPerson } from './sidebar.tsx';

/**
 * The sidebar on narrow screens: it slides in from the left, and closes with a choice. It holds what
 * the header has no room for.
 */
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
          className="fixed inset-y-0 left-0 z-40 flex w-64 max-w-[85vw] animate-from-left flex-col border-r border-line bg-surface shadow-float outline-none"
        >
          <div className="flex h-14 items-center border-b border-line px-5">
            <Dialog.Title className="sr-only">{t('shell.menu')}</Dialog.Title>
            <Logo />
          </div>
          <SidebarLinks collapsed={false} />
          <div className="border-t border-line p-3">
            <SidebarLink to="/settings" icon={Settings} label={t('shell.settings')} />
          </div>
          <Appearance />
          <SidebarPerson collapsed={false} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Language and theme, as the phone's own lists. */
function Appearance() {
  const { t, i18n } = useTranslation('common');
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3 [&>*]:flex-row [&>*]:items-center [&>*]:justify-between">
      <Field label={t('language.name')}>
        <Select
          className="w-36"
          value={languageFor(i18n.language, [])}
          options={languages.map(({ code, name }) => ({ value: code, label: name }))}
          onChange={({ target }) => {
            // Without the network the page stays in the language that it is in.
            chooseLanguage(languageFor(target.value, [])).catch(() => {});
          }}
        />
      </Field>
      <Field label={t('theme.name')}>
        <Select
          className="w-36"
          value={useTheme()}
          options={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
          onChange={({ target }) => {
            const chosen = themes.find((theme) => theme === target.value);
            if (chosen) chooseTheme(chosen);
          }}
        />
      </Field>
    </div>
  );
}
