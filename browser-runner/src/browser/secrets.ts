/** Replaces sensitive text. */
export const MASK = '••••••';

/** Shorter ones would mask ordinary words. */
const LENGTH_MIN = 4;
const SECRETS_MAX = 50;

/** Text typed into password fields, which a page may show again in plain text. */
export class Secrets {
  readonly #kept: string[] = [];
  #isContinued = false;

  /** `continues`: typed key by key, so that it belongs to the previous text. */
  typed(text: string, { continues }: { continues: boolean }): void {
    const before = continues && this.#isContinued ? (this.#kept.pop() ?? '') : '';
    this.#isContinued = continues;
    this.#kept.push(before + text);
    if (this.#kept.length > SECRETS_MAX) this.#kept.shift();
  }

  /** Later input is separate. */
  pause(): void {
    this.#isContinued = false;
  }

  hide(text: string): string {
    const long = this.#kept.filter(({ length }) => length >= LENGTH_MIN).flatMap(spellings);
    return long.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
  }
}

/** Plain, and as forms and scripts encode it in addresses. */
function spellings(secret: string): string[] {
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  return [secret, inForm, inForm.replaceAll('+', '%20'), encodeURIComponent(secret.toWellFormed())];
}
