/** The parts of a `Tallyhand-Position` of today: `C1042-P1040`. */
const partsOf = (position: string) =>
  /^C(\d{1,20})-P(\d{1,20})$/
    .exec(position)
    ?.slice(1)
    .map((digits) => BigInt(digits));

/**
 * The position that is further ahead: answers may arrive in another order than they were given.
 * Where positions have another format, it is the one that arrived last.
 */
export function furthest(known: string | undefined, arrived: string | null): string | undefined {
  if (arrived === null) return known;
  const [commit, prepare] = partsOf(arrived) ?? [];
  const [knownCommit, knownPrepare] = (known && partsOf(known)) || [];
  if (commit === undefined || prepare === undefined) return arrived;
  if (knownCommit === undefined || knownPrepare === undefined) return arrived;
  const isAhead = commit > knownCommit || (commit === knownCommit && prepare > knownPrepare);
  return isAhead ? arrived : known;
}
