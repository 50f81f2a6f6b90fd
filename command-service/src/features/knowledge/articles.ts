import type { Kit } from '../../kit/app.ts';
import { streamsOf } from '../../kit/streams.ts';
import { articleDecider } from './article.decider.ts';

const LOADED_AT_ONCE = 32;

/** Articles as other features look them up. */
export type Articles = {
  /** Of these ids, those that are no article of the organization. */
  unknown(ids: readonly string[], organizationId: string): Promise<string[]>;
};

export function articlesOf(kit: Kit): Articles {
  const articles = streamsOf(articleDecider, kit.streams);
  const isKnown = async (id: string, organizationId: string) => {
    const article = await articles.load(id);
    return article?.organizationId === organizationId && !article.isDeleted;
  };
  return {
    async unknown(ids, organizationId) {
      const found: string[] = [];
      for (let from = 0; from < ids.length; from += LOADED_AT_ONCE) {
        const some = ids.slice(from, from + LOADED_AT_ONCE);
        const known = await Promise.all(some.map((id) => isKnown(id, organizationId)));
        found.push(...some.filter((_, i) => !known[i]));
      }
      return found;
    },
  };
}
