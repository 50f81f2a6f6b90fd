import type { Role } from '@tallyhand/contracts/kernel/role';
import { mainPages } from '../../app/main-pages.ts';
import { creationAt } from './creations.ts';

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

/** What a key asks for; `go`: to the page of the letter. */
export type Shortcut = { kind: 'search' | 'list' | 'create' } | { kind: 'go'; letter: string };

export type Key = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'
>;

/** So long after `g` its letter is waited for. */
export const GO_MS_MAX = 1_500;

/** The letter on the key, also where the keyboard writes another alphabet. */
function letterOf({ key, code }: Key): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^Key[A-Z]$/.test(code) && /\p{L}/u.test(key) ? code.slice(3).toLowerCase() : key;
}

/** Reads keys one after another: `/`, `?`, `c`, or `g` and a letter. */
export function shortcutReader() {
  let goUntil = 0;
  return (event: Key, now: number): Shortcut | undefined => {
    const isGoing = now < goUntil;
    goUntil = 0;
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    // Some keyboards write these two with Shift.
    if (event.key === '?') return { kind: 'list' };
    if (event.key === '/') return { kind: 'search' };
    if (event.shiftKey) return undefined;
    const letter = letterOf(event);
    if (isGoing) return { kind: 'go', letter };
    if (letter === 'g') goUntil = now + GO_MS_MAX;
    return letter === 'c' ? { kind: 'create' } : undefined;
  };
}
