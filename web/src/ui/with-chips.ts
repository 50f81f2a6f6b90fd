/** The chips with what was typed or pasted added: trimmed, without blanks and doubles. */
export function withChips(chips: readonly string[], typed: string): string[] {
  const added = typed.split(/[,\n]/).map((chip) => chip.trim());
  return [...new Set([...chips, ...added])].filter((chip) => chip !== '');
}
