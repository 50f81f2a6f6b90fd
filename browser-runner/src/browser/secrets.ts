/** Replaces sensitive text. */
export const MASK = '••••••';

/** Shorter ones would take ordinary words along. */
const LENGTH_MIN = 4;
const SECRETS_MAX = 50;

export type Secrets = ReturnType<typeof secrets>;

/** Text typed into password fields, which a page may show again in plain text. */
export function secrets() {
  const kept: string[] = [];
  let isGoingOn = false;
  return {
    /** `goesOn`: key by key, so that it belongs to the text typed just before. */
    typed(text: string, { goesOn }: { goesOn: boolean }) {
      const before = goesOn && isGoingOn ? (kept.pop() ?? '') : '';
      isGoingOn = goesOn;
      kept.push(before + text);
      if (kept.length > SECRETS_MAX) kept.shift();
    },
    /** Later input is separate. */
    pause() {
      isGoingOn = false;
    },
    hide(text: string): string {
      const long = kept.filter(({ length }) => length >= LENGTH_MIN).flatMap(spellings);
      return long.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
    },
  };
}

/** Plain, and as forms and scripts encode it in addresses. */
function spellings(secret: string): string[] {
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  return [secret, inForm, inForm.replaceAll('+', '%20'), encodeURIComponent(secret.toWellFormed())];
}
