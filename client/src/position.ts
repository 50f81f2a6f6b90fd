/** The parts of a `Tallyhand-Position`: `C1042-P1040`. */
const partsOf = (position: string) =>
  /^C(\d{1,20})-P(\d{1,20})$/
    .exec(position)
    ?.slice(1)
    .map((digits) => BigInt(digits));

/** The position that lies further ahead. Text that is no position never wins. */
export function furthest(one: string | undefined, other: string | null): string | undefined {
  const given = other === null ? undefined : partsOf(other);
  if (other === null || !given) return one;
  const [commit = 0n, prepare = 0n] = given;
  const [knownCommit = -1n, knownPrepare = -1n] = (one && partsOf(one)) || [];
  const isAhead = commit > knownCommit || (commit === knownCommit && prepare > knownPrepare);
  return isAhead ? other : one;
}
