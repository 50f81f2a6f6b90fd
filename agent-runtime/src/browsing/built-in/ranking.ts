import type { Finding } from './findings.ts';
import type { Ranking } from './goal.ts';
import { type Price, priceIn } from './priced.ts';

export type Ranked = Finding & { price: Price };

/**
 * The findings that have a price, in the order that the goal asks for. Prices in different currencies
 * can't be compared: those in the most common one count. What is paid yearly and monthly is compared
 * by the year; of like things that are paid once and by the month, the more common count.
 */
export function rankedBy({ order }: Ranking, findings: readonly Finding[]): Ranked[] {
  const priced = findings.flatMap((finding) => {
    const price = priceIn(finding.quote);
    return price ? [{ ...finding, price }] : [];
  });
  const unique = [
    ...new Map(
      priced.map((one) => [`${one.about.toLowerCase()} ${one.price.amount}`, one]),
    ).values(),
  ];
  const currency = mostCommon(unique.map(({ price }) => price.currency).filter(Boolean));
  const sameCurrency = unique.filter(({ price }) => ['', currency].includes(price.currency));
  const isRegular = mostCommon(
    sameCurrency.filter(({ price }) => price.amount > 0).map(({ price }) => price.perYear !== null),
  );
  const comparable = sameCurrency.filter(
    ({ price }) => price.amount === 0 || (price.perYear !== null) === isRegular,
  );
  const direction = order === 'cheapest' ? 1 : -1;
  return comparable.sort((a, b) => direction * (perYearOf(a.price) - perYearOf(b.price)));
}

const perYearOf = ({ amount, perYear }: Price) => amount * (perYear ?? 1);

function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
