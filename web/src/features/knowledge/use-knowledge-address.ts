import { useSearchParams } from 'react-router-dom';
import type { View } from '../audit/versioned-dialogs.tsx';

export type Shelf = 'article' | 'playbook';

/**
 * What the address says: `?tab=playbooks` chooses the shelf, `?article=ID` or `?playbook=ID` opens
 * one, `&view=history` at its history.
 */
export function useKnowledgeAddress() {
  const [search, setSearch] = useSearchParams();
  const change = (values: Readonly<Record<string, string | undefined>>, replace = false) => {
    const params = new URLSearchParams(search);
    for (const [name, value] of Object.entries(values)) {
      if (value) params.set(name, value);
      else params.delete(name);
    }
    setSearch(params, { replace });
  };
  const shelf: Shelf = search.get('tab') === 'playbooks' ? 'playbook' : 'article';
  const view: View = search.get('view') === 'history' ? 'history' : 'text';
  const viewed = (next: View) => (next === 'history' ? next : undefined);
  return {
    shelf,
    view,
    openArticle: search.get('article'),
    openPlaybook: search.get('playbook'),
    setShelf: (next: Shelf) => change({ tab: next === 'playbook' ? 'playbooks' : undefined }, true),
    setView: (next: View) => change({ view: viewed(next) }, true),
    show: (what: Shelf, id: string, next: View = 'text') =>
      change({ [what]: id, view: viewed(next) }),
    close: () => change({ article: undefined, playbook: undefined, view: undefined }),
  };
}

export type KnowledgeAddress = ReturnType<typeof useKnowledgeAddress>;
