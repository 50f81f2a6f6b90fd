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
