/** A place in $all. Opaque: compared, never calculated with. */
export type Position = { readonly commit: bigint; readonly prepare: bigint };

export const START: Position = { commit: 0n, prepare: 0n };

export function comparePositions(a: Position, b: Position): -1 | 0 | 1 {
  if (a.commit !== b.commit) return a.commit < b.commit ? -1 : 1;
  if (a.prepare !== b.prepare) return a.prepare < b.prepare ? -1 : 1;
  return 0;
}

export const maxPosition = (a: Position, b: Position) => (comparePositions(a, b) < 0 ? b : a);

export const formatPosition = ({ commit, prepare }: Position) => `C${commit}-P${prepare}`;

/** Null for text that is no position. */
export function parsePosition(text: string): Position | null {
  const match = /^C(\d{1,19})-P(\d{1,19})$/.exec(text);
  if (!match) return null;
  return { commit: BigInt(match[1] ?? 0), prepare: BigInt(match[2] ?? 0) };
}
