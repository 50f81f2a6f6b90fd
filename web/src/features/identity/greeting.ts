const STORED_AS = 'tallyhand-registered';

/** The dashboard welcomes a newly registered member until the tab is closed. */
export function greetAsNew() {
  try {
    sessionStorage.setItem(STORED_AS, 'yes');
  } catch {
    // Without storage everyone is welcomed back.
  }
}

export function greetAsKnown() {
  try {
    sessionStorage.removeItem(STORED_AS);
  } catch {
    // As above.
  }
}

export function isNewMember(): boolean {
  try {
    return sessionStorage.getItem(STORED_AS) !== null;
  } catch {
    return false;
  }
}
