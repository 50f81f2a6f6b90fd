import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { SEARCH_TEXT_MAX } from '@tallyhand/contracts/features/search/search.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mainPages } from '../../app/main-pages.ts';
import { useSettled } from '../../app/use-settled.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { type Choice, type ChoiceGroup, groupsOf, matching } from './choices.ts';
import { recentChoices } from './recent-choices.ts';
import { useSearchQuery } from './search.api.ts';

const choice = (kind: 'page' | 'action', to: string, title: string): Choice => ({
  kind,
  to,
  title,
  detail: null,
});

function usePlaces(): { pages: readonly Choice[]; actions: readonly Choice[] } {
  const { t } = useTranslation(['search', 'common']);
  const { role } = useCurrentUser();
  const pages = mainPages(role).map(({ to, key }) => choice('page', to, t(`common:${key}`)));
  return {
    pages: [...pages, choice('page', '/settings', t('common:shell.settings'))],
    actions: [
      choice('action', '/autonomous?start=new', t('actions.startSession')),
      ...(mayCall(role, purchaseCredits)
        ? [choice('action', '/billing', t('actions.buyCredits'))]
        : []),
      choice('action', '/settings?tab=security', t('actions.changePassword')),
      choice('action', '/settings?tab=notifications', t('actions.chooseNotifications')),
    ],
  };
}

/** What the palette offers for a text: pages and actions at once, then what the server finds. */
export function useChoices(typed: string) {
  const { t } = useTranslation('search');
  const { id } = useCurrentUser();
  const [recent] = useState(() => recentChoices(id));
  const { pages, actions } = usePlaces();
  const text = typed.trim().slice(0, SEARCH_TEXT_MAX);
  const settled = useSettled(text);
  const { currentData, error, isFetching, refetch } = useSearchQuery(settled, {
    skip: settled === '',
    // What was found before may be gone.
    refetchOnMountOrArgChange: true,
  });
  if (text === '') {
    const groups: ChoiceGroup[] = [
      ...(recent.length > 0 ? [{ kind: 'recent' as const, choices: recent }] : []),
      { kind: 'action', choices: actions },
      { kind: 'page', choices: pages },
    ];
    return { text, groups, isSearching: false, error: undefined, refetch, isNone: false };
  }
  const isSearching = settled !== text || isFetching;
  const inTasks = choice(
    'action',
    `/tasks?q=${encodeURIComponent(text)}`,
    t('actions.searchTasks', { text }),
  );
  const hits = [
    { kind: 'page' as const, choices: matching(pages, text) },
    ...(settled === text && currentData ? groupsOf(currentData) : []),
  ].filter(({ choices }) => choices.length > 0);
  const fitting = matching(actions, text);
  return {
    text,
    isSearching,
    error: isSearching ? undefined : error,
    refetch,
    groups: [...hits, { kind: 'action' as const, choices: [...fitting, inTasks] }],
    isNone: !isSearching && !error && hits.length + fitting.length === 0,
  };
}
