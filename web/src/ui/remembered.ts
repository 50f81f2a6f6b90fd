/** What this browser remembers until it is changed; `registered` only in this tab. */
const KEYS = {
  theme: 'tallyhand-theme',
  language: 'tallyhand-language',
  codeLanguage: 'tallyhand-code-language',
  sidebar: 'tallyhand-sidebar',
  recent: 'tallyhand-recent',
  /** Hidden columns, widths and density, by table. */
  tables: 'tallyhand-tables',
  views: 'tallyhand-views',
  /** `off`: single keys do nothing. */
  shortcuts: 'tallyhand-shortcuts',
  /** The member who dismissed the first steps. */
  firstSteps: 'tallyhand-first-steps',
  /** The Auditor who dismissed what to do. */
  auditorSteps: 'tallyhand-auditor-steps',
  /** For public pages, which call no server. The sign-in may have ended since. */
  signedIn: 'tallyhand-signed-in',
  registered: 'tallyhand-registered',
} as const;

type Remembered = keyof typeof KEYS;

const storageOf = (what: Remembered) => (what === 'registered' ? sessionStorage : localStorage);

/** The key in the browser's storage, for its events. */
export const storedAs = (what: Remembered): string => KEYS[what];

/** Null if nothing is stored, or where the browser has no storage. */
export function remembered(what: Remembered): string | null {
  try {
    return storageOf(what).getItem(KEYS[what]);
  } catch {
    return null;
  }
}

/** Null forgets. Without storage a choice holds for this page only. */
export function remember(what: Remembered, value: string | null): void {
  try {
    if (value === null) storageOf(what).removeItem(KEYS[what]);
    else storageOf(what).setItem(KEYS[what], value);
  } catch {
    // As above.
  }
}
