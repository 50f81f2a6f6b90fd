/** What people would not want to see, in its place. */
export const MASK = '••••••';

/** Shorter ones would take ordinary words along. */
const LENGTH_MIN = 4;
const SECRETS_MAX = 50;

export type Secrets = ReturnType<typeof secrets>;

/** What was typed into password fields, which a page may show again in plain text. */
export function secrets() {
  const kept: string[] = [];
  let isGoingOn = false;
  return {
    /** `goesOn`: key by key, so that it belongs to what was typed the moment before. */
    typed(text: string, { goesOn }: { goesOn: boolean }) {
      const before = goesOn && isGoingOn ? (kept.pop() ?? '') : '';
      isGoingOn = goesOn;
      kept.push(before + text);
      if (kept.length > SECRETS_MAX) kept.shift();
    },
    /** What comes next is no part of it. */
    pause() {
      isGoingOn = false;
    },
    hide(text: string): string {
      const long = kept.filter(({ length }) => length >= LENGTH_MIN).flatMap(spellings);
      return long.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
    },
  };
}

/** As it is, and as forms and scripts write it into addresses. */
function spellings(secret: string): string[] {
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  return [secret, inForm, inForm.replaceAll('+', '%20'), encodeURIComponent(secret.toWellFormed())];
}
