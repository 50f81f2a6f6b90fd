export const INVALID_URL = 'Please enter a valid URL';
export const URL_LENGTH_MAX = 2_000;
export const URL_TOO_LONG = `The URL must be at most ${URL_LENGTH_MAX} characters`;

/** An absolute address of http or https, without a username and password in it. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
