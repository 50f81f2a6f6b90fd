import { nodesIn, type OutlineNode, textIn } from './outline.ts';

/** What a person has to do before the work can go on here. */
export type Obstacle = 'sign-in' | 'captcha';

const PASSWORD =
  /\b(?:password|passphrase|passwort|kennwort|mot de passe|contrase\p{L}+|parola|wachtwoord)\b/iu;
const CAPTCHA =
  /\b(?:captcha|are you (?:a )?(?:robot|human)|verify (?:that )?you are (?:a )?human|i'm not a robot|unusual traffic|checking your browser|kein roboter)\b/i;
/** A page with a sign-in and this much else is a page, not a wall. */
const wallLengthMax = 1_500;

export function obstacleOf(main: OutlineNode, title: string): Obstacle | null {
  const text = textIn(main);
  if (text.length <= wallLengthMax && CAPTCHA.test(`${title} ${text}`)) return 'captcha';
  const hasPassword = [...nodesIn(main)].some(isSecret);
  return hasPassword && text.length <= wallLengthMax ? 'sign-in' : null;
}

const PAYMENT =
  /\b(?:card|cvc|cvv|iban|security code|expiry|kartennummer|kreditkarte|carte|tarjeta|carta di credito)\b/i;

/** Fields that only a person fills. */
export function isSecret({ role, name, placeholder }: OutlineNode): boolean {
  const label = `${name} ${placeholder ?? ''}`;
  return role === 'textbox' && (PASSWORD.test(label) || PAYMENT.test(label));
}

const REFUSING =
  /^(?:reject(?: all)?|decline(?: all)?|(?:only )?(?:strictly )?necessary(?: cookies)?(?: only)?|refuse(?: all)?|alle ablehnen|ablehnen|nur notwendige.*|tout refuser|refuser|continuer sans accepter|rechazar(?: todo)?|rifiuta(?: tutto)?|no,? thanks|close|dismiss|schlie(?:ß|ss)en|fermer|×|x)$/i;

/** The button by which a banner or a dialog goes away, without agreeing to anything. */
export function refusalOf(root: OutlineNode): OutlineNode | null {
  for (const node of nodesIn(root)) {
    const isButton = node.role === 'button' || node.role === 'link';
    if (isButton && node.ref && REFUSING.test(textIn(node))) return node;
  }
  return null;
}

/** A form that sends something: its button's name. */
export function formOf(main: OutlineNode): string | null {
  const all = [...nodesIn(main)];
  const first = all.findIndex(({ role }) => role === 'textbox');
  if (first === -1) return null;
  const button = all.slice(first).find(({ role }) => role === 'button');
  return button ? textIn(button) : null;
}
