import { nodesIn, type OutlineNode, textIn } from './outline.ts';

/** What a member has to do before the work can continue here. */
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
  const hasPassword = [...nodesIn(main)].some(
    ({ role, name, placeholder }) =>
      role === 'textbox' && PASSWORD.test(`${name} ${placeholder ?? ''}`),
  );
  return hasPassword && text.length <= wallLengthMax ? 'sign-in' : null;
}

/** A form that sends something: its button's name. */
export function formOf(main: OutlineNode): string | null {
  const all = [...nodesIn(main)];
  const first = all.findIndex(({ role }) => role === 'textbox');
  if (first === -1) return null;
  const button = all.slice(first).find(({ role }) => role === 'button');
  return button ? textIn(button) : null;
}

/** Text on a page that instructs machines, and means nothing to readers. */
const INSTRUCTION =
  /\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instructions?|previous|prior|rules|prompts?|above)\b|^\W*(?:system|assistant|developer|admin(?:istrator)?|user)\s*[:,]|\byou are (?:now|an? (?:ai|assistant|language model))\b|\b(?:system prompt|language model|ai (?:agent|assistant))s?\b|\bignorier\w*\b.{0,60}\banweisung|\bignore[rz]?\b.{0,60}\binstructions\b/i;

/** Whether a text tries to instruct a machine that reads it. */
export const isInstruction = (text: string): boolean => INSTRUCTION.test(text);
