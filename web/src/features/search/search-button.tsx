import { Search } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { part } from '../../app/part.ts';
import { HeaderButton } from '../../ui/button.tsx';

const SearchPalette = part(
  [],
  ['problems', 'search'],
  async () => (await import('./search-palette.tsx')).SearchPalette,
);

const opensIt = ({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey && !shiftKey;

/** Opens the search, as Ctrl or Cmd and K do. */
export function SearchButton() {
  const { t } = useTranslation('common');
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!opensIt(event)) return;
      // The browser's own use of the keys.
      event.preventDefault();
      // What is typed in another dialog would be lost where the search leads away.
      const isBusy = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
      setOpen((before) => !before && !isBusy);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <HeaderButton
        aria-label={t('shell.search')}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Search aria-hidden />
      </HeaderButton>
      {open && (
        <Suspense>
          <SearchPalette close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
