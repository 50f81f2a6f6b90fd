const STORED_AS = 'tallyhand-signed-in';

/**
 * Remembers in this browser whether a member is signed in, for public pages, which call no server.
 * It may be outdated: what it leads to checks the sign-in.
 */
export function noteSignedIn(isSignedIn: boolean) {
  try {
    if (isSignedIn) localStorage.setItem(STORED_AS, 'yes');
    else localStorage.removeItem(STORED_AS);
  } catch {
    // Without storage public pages offer to sign in.
  }
}

export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== null;
  } catch {
    return false;
  }
}
