/** A model, or the beginning of names with an asterisk, and its price in credits. */
export type ModelPrice = { readonly model: string; readonly credits: number };

const CREDITS_MAX = 1_000;
const PRICE = /^([^\s=,*]+\*?|\*)=(\d{1,4})$/;

/** Prices as `claude-opus-*=5, gpt-4.1=2`; null if the text is no such list. */
export function modelPricesOf(text: string): ModelPrice[] | null {
  const prices: ModelPrice[] = [];
  for (const part of text.split(',')) {
    const [, model = '', credits = ''] = PRICE.exec(part.trim()) ?? [];
    const isKnown = prices.some((price) => price.model === model);
    if (!model || isKnown || Number(credits) < 1 || Number(credits) > CREDITS_MAX) return null;
    prices.push({ model, credits: Number(credits) });
  }
  return prices;
}
