import { Search } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { laterPart } from '../../app/part.ts';
import { HeaderButton } from '../../ui/button.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { shortcutsAreOn } from './single-keys.ts';

const SearchPalette = laterPart(
  ['problems', 'search'],
  async () => (await import('./search-palette.tsx')).SearchPalette,
);
const ShortcutsDialog = laterPart(
  ['problems', 'search'],
  async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
);

const opensIt = ({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey && !shiftKey;

let following: Promise<typeof import('./follow-key.ts')> | undefined;

/** What takes keys itself. */
const TAKES_KEYS =
  'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="application"]';

/** What is typed in a dialog would be lost where a key leads away. */
const isBusy = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

const takesKeys = ({ target }: KeyboardEvent) =>
  target instanceof Element && target.closest(TAKES_KEYS) !== null;

/** Opens the search, as Ctrl or Cmd and K do. The other shortcuts of all pages are here, too. */
export function SearchButton() {
  const { t } = useTranslation('common');
  const [open, setOpen] = useState<'search' | 'shortcuts'>();
  const { role } = useCurrentUser();
  const navigate = useNavigate();
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (opensIt(event)) {
      // The browser's own use of the keys.
      event.preventDefault();
      setOpen((before) => (before || isBusy() ? undefined : 'search'));
      return;
    }
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (takesKeys(event) || isBusy() || !shortcutsAreOn()) return;
    // Some browsers search the page by this key.
    if (event.key === '/' && !(event.ctrlKey || event.metaKey || event.altKey)) {
      event.preventDefault();
    }
    // One promise, so that keys are followed in their order.
    following ??= import('./follow-key.ts');
    following.then(
      ({ followKey }) => followKey(event, { role, navigate, open: setOpen }),
      () => {
        following = undefined;
      },
    );
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  const close = () => setOpen(undefined);
  return (
    <>
      <HeaderButton
        aria-label={t('shell.search')}
        aria-haspopup="dialog"
        aria-expanded={open === 'search'}
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={() => setOpen('search')}
      >
        <Search aria-hidden />
      </HeaderButton>
      {open === 'search' && (
        <SearchPalette close={close} showShortcuts={() => setOpen('shortcuts')} />
      )}
      {open === 'shortcuts' && <ShortcutsDialog close={close} />}
    </>
  );
}
