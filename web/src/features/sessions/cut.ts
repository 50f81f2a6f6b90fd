/** The beginning of a text, never through the middle of a character; an ellipsis where it was cut. */
export function cut(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max).join('')}…`;
}
