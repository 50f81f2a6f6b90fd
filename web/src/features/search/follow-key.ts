import type { Role } from '@tallyhand/contracts/kernel/role';
import { mainPages } from '../../app/main-pages.ts';
import { creationAt } from './creations.ts';
import { shortcutReader } from './shortcuts.ts';

type Doing = {
  readonly role: Role;
  readonly navigate: (path: string) => unknown;
  readonly open: (what: 'search' | 'shortcuts') => void;
};

const readKey = shortcutReader();

/** Does what a key asks for, as far as the role may. Loaded with the first key that is pressed. */
export function followKey(event: KeyboardEvent, { role, navigate, open }: Doing): void {
  const shortcut = readKey(event, event.timeStamp);
  switch (shortcut?.kind) {
    case undefined:
      return;
    case 'search':
      open('search');
      return;
    case 'list':
      open('shortcuts');
      return;
    case 'go': {
      const page = mainPages(role).find(({ letter }) => letter === shortcut.letter);
      if (page) navigate(page.to);
      else if (shortcut.letter === ',') navigate('/settings');
      return;
    }
    case 'create': {
      // A page that is still on its way has its address already.
      const creation = creationAt(role, window.location.pathname);
      if (creation) navigate(creation.to);
      return;
    }
  }
}
