import type { Scene, Visitor } from './scene.ts';

/** A scene for one visitor, in one appearance and language. */
export type Shot = {
  readonly scene: string;
  readonly as: Visitor;
  readonly theme: 'light' | 'dark';
  readonly width: 375 | 768 | 1440;
  readonly language: string;
};

const THEMES = ['light', 'dark'] as const;
const WIDTHS = [1440, 768, 375] as const;
const MEMBERS = ['admin', 'editor', 'viewer'] as const;

/** One of each scene is kept with the sources: that of its own visitor, in one appearance. */
export const isKept = (shot: Shot, { as }: Scene): boolean =>
  shot.as === as && shot.language === 'en' && shot.theme === 'light' && shot.width === 1440;

/**
 * Scenes, themes, widths and languages (and for pages of members, roles) in pairs: each two values
 * meet once, instead of all combinations.
 */
export function sweepOf(scenes: readonly Scene[], languages: readonly string[]): Shot[] {
  const all = scenes.flatMap((scene) => shotsOf(scene, languages));
  return pairwise(
    all.map(({ shot }) => shot),
    all.filter(({ scene, shot }) => isKept(shot, scene)).map(({ shot }) => shot),
  );
}

/** These scenes in each theme and width, for working on them. */
export const looksOf = (scenes: readonly Scene[]): Shot[] =>
  scenes.flatMap((scene) =>
    shotsOf(scene, ['en']).flatMap(({ shot }) => (shot.as === scene.as ? [shot] : [])),
  );

function shotsOf(scene: Scene, languages: readonly string[]): { scene: Scene; shot: Shot }[] {
  // Only the scene's own visitor may perform its actions.
  const visitors = scene.as === 'admin' && !scene.act ? MEMBERS : [scene.as];
  return visitors.flatMap((as) =>
    THEMES.flatMap((theme) =>
      WIDTHS.flatMap((width) =>
        languages.map((language) => ({
          scene,
          shot: { scene: scene.name, as, theme, width, language },
        })),
      ),
    ),
  );
}

/** A choice of one value for each factor. */
export type Choice = Readonly<Record<string, string | number>>;

/**
 * A small subset of the candidates in which all pairs of values occur that occur in any of them.
 * Begins with the required ones; deterministic.
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
    // A candidate without new pairs never gets any.
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

/** All pairs of its values, with the names of their factors. */
function pairsOf(choice: Choice): string[] {
  const values = Object.entries(choice).map((factor) => JSON.stringify(factor));
  return values.flatMap((value, at) => values.slice(at + 1).map((other) => value + other));
}
