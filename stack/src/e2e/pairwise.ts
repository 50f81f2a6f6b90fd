/** A choice of one value for each factor. */
export type Choice = Readonly<Record<string, string | number>>;

/**
 * Few of the candidates, in which each two values meet that meet in any of them. Begins with those
 * that are wanted anyway, and chooses the same every time.
 */
export function pairwise<T extends Choice>(candidates: readonly T[], wanted: readonly T[]): T[] {
  const numbers = new Map<string, number>();
  const numberOf = (pair: string) => {
    const number = numbers.get(pair) ?? numbers.size;
    numbers.set(pair, number);
    return number;
  };
  const chosen = [...wanted];
  const met = new Set(chosen.flatMap((choice) => pairsOf(choice).map(numberOf)));
  let open = candidates.map((choice) => ({ choice, pairs: pairsOf(choice).map(numberOf) }));
  for (;;) {
    // What brings nothing new now brings nothing new later.
    open = open
      .map(({ choice, pairs }) => ({ choice, pairs: pairs.filter((pair) => !met.has(pair)) }))
      .filter(({ pairs }) => pairs.length > 0);
    const [first, ...others] = open;
    if (!first) return chosen;
    const best = others.reduce((a, b) => (b.pairs.length > a.pairs.length ? b : a), first);
    chosen.push(best.choice);
    for (const pair of best.pairs) met.add(pair);
  }
}

/** Each two of its values, with the names of their factors. */
function pairsOf(choice: Choice): string[] {
  const values = Object.entries(choice).map((factor) => JSON.stringify(factor));
  return values.flatMap((value, at) => values.slice(at + 1).map((other) => value + other));
}
