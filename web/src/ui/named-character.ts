type Policy = { createHTML(text: string): string };
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy };

const sameHtml: Policy = { createHTML: (text) => text };

/** The one policy that our Content-Security-Policy names; only texts checked below get through it. */
const policy =
  (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
    'named-character',
    sameHtml,
  ) ?? sameHtml;

const element = document.createElement('i');

/**
 * Stands in for the module of this function that Markdown is read with: `amp` gives `&`, and what
 * names no character gives false. The original sets `innerHTML`, which our Content-Security-Policy
 * refuses for plain strings, since any of them could hold a script; a name of letters and digits
 * can't.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  if (!/^[a-z\d]+$/i.test(name)) return false;
  const reference = `&${name};`;
  element.innerHTML = policy.createHTML(reference);
  const text = element.textContent;
  // Of `notit` the browser would read `not` alone, and leave the rest with its semicolon.
  const isPart = text.endsWith(';') && name !== 'semi';
  return isPart ? false : text;
}
