type Arguments = Readonly<Record<string, unknown>>;

/** They change how the text around them is read, or can't be seen. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

const escaped = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The arguments of a call, to be read and edited. A text that a program would read otherwise, such
 * as one with a long number, stays as it is.
 */
export function readableArguments(text: string): string {
  const parsed = parsedArguments(text);
  const isSame = parsed !== undefined && JSON.stringify(parsed) === text;
  return (isSame ? JSON.stringify(parsed, null, 2) : text).replace(UNSEEN, escaped);
}

function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Edited =
  | { readonly fault: 'notJson' | 'notObject' | 'tooLong' }
  /** Undefined if nothing was changed. */
  | { readonly changed: Arguments | undefined };

/** What was edited of the arguments in `text`, or why it can't be sent. */
export function editedArguments(edited: string, text: string, lengthMax: number): Edited {
  const now = parsedArguments(edited);
  if (now === undefined) return { fault: 'notJson' };
  if (!isObject(now)) return { fault: 'notObject' };
  const sent = JSON.stringify(now);
  if (sent.length > lengthMax) return { fault: 'tooLong' };
  const isSame = edited === readableArguments(text) || sent === text;
  return { changed: isSame ? undefined : now };
}
