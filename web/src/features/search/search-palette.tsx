import * as Dialog from '@radix-ui/react-dialog';
import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { SEARCH_TEXT_MAX } from '@tallyhand/contracts/features/search/search.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import {
  BookOpen,
  Bot,
  CornerDownRight,
  Globe,
  ListChecks,
  ListOrdered,
  type LucideIcon,
  PanelTop,
  User,
  Wrench,
  X,
} from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { mainPages } from '../../app/main-pages.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Spinner } from '../../ui/loading.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { useSettled } from '../../ui/slider.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import {
  type Choice,
  type ChoiceGroup,
  type ChoiceKind,
  choice,
  groupsOf,
  matching,
  piecesOf,
} from './choices.ts';
import { creations } from './creations.ts';
import { keepChoice, recentChoices } from './recent-choices.ts';
import { useSearchQuery } from './search.api.ts';

type PaletteProps = { close: () => void; showShortcuts: () => void };

/** Looks through all that one may see, and leads there; on a phone it fills the screen. */
export function SearchPalette({ close, showShortcuts }: PaletteProps) {
  const { t } = useTranslation('search');
  const { remember, onCloseAutoFocus } = useReturnFocus();
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            remember();
            event.preventDefault();
            input.current?.focus();
          }}
          onCloseAutoFocus={onCloseAutoFocus}
          className={cx(
            'fixed inset-0 z-40 flex animate-fade flex-col bg-raised text-sm outline-none',
            'sm:inset-x-auto sm:top-[12dvh] sm:bottom-auto sm:left-1/2 sm:max-h-[70dvh]',
            'sm:w-[calc(100%-48px)] sm:max-w-[640px] sm:-translate-x-1/2 sm:rounded-lg',
            'sm:border sm:border-line sm:shadow-float',
          )}
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <Search inputRef={input} close={close} showShortcuts={showShortcuts} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The keys of a combobox: the focus stays in the box, arrows move through the list below it. */
function useActive(choices: readonly Choice[], text: string, choose: (choice: Choice) => void) {
  const [active, setActive] = useState({ index: 0, text });
  // What is new in the list is chosen from its beginning.
  const index = active.text === text ? Math.min(active.index, choices.length - 1) : 0;
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter and arrows belong to the input method during composition.
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (step !== undefined && choices.length > 0) {
      event.preventDefault();
      setActive({ index: (index + step + choices.length) % choices.length, text });
    }
    const chosen = choices[index];
    if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      choose(chosen);
    }
  };
  return { index, setIndex: (next: number) => setActive({ index: next, text }), onKeyDown };
}

type Choices = {
  /** What they are for, trimmed. */
  text: string;
  groups: readonly ChoiceGroup[];
  isSearching: boolean;
  error: unknown;
  refetch: () => void;
  /** The search found nothing. */
  isNone: boolean;
};

function Search({
  inputRef,
  close,
  showShortcuts,
}: PaletteProps & { inputRef: React.RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation('search');
  const list = useId();
  const navigate = useNavigate();
  const { id: userId } = useCurrentUser();
  const [typed, setTyped] = useState('');
  const found = useChoices(typed);
  const { text, groups } = found;
  const choices = groups.flatMap((group) => group.choices);
  const choose = (choice: Choice) => {
    if (choice.to === SHORTCUTS) return showShortcuts();
    if (choice.kind !== 'action') keepChoice(userId, choice);
    close();
    navigate(choice.to);
  };
  const { index, setIndex, onKeyDown } = useActive(choices, text, choose);
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-4">
        <input
          ref={inputRef}
          role="combobox"
          aria-label={t('title')}
          aria-expanded
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={choices.length > 0 ? optionId(list, index) : undefined}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          enterKeyHint="go"
          value={typed}
          placeholder={t('placeholder')}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          className="h-14 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted"
        />
        {found.isSearching && <Spinner className="shrink-0 text-muted" />}
        <Dialog.Close
          aria-label={t('clear')}
          className="-mr-2 inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text"
        >
          <X aria-hidden className="size-4" />
        </Dialog.Close>
      </div>
      <Outcome found={found} />
      <ChoiceList
        id={list}
        groups={groups}
        text={text}
        index={index}
        setIndex={setIndex}
        choose={choose}
      />
      <p className="hidden border-t border-line px-4 py-2 text-xs text-muted sm:block">
        {t('keys')}
      </p>
    </>
  );
}

/** The result of the search, for all, and in a few words for screen readers. */
function Outcome({
  found: { text, groups, isSearching, error, refetch, isNone },
}: {
  found: Choices;
}) {
  const { t } = useTranslation('search');
  const hits = groups.filter(({ kind }) => kind !== 'action');
  const count = hits.reduce((sum, { choices }) => sum + choices.length, 0);
  return (
    <>
      <p role="status" className="sr-only">
        {isSearching && t('searching')}
        {!isSearching && text !== '' && !error && !isNone && t('found', { count })}
      </p>
      {Boolean(error) && (
        <div role="alert" className="flex items-center justify-between gap-4 px-4 py-3">
          <span>
            <span className="font-medium">{t('failed')}</span>{' '}
            <span className="text-muted">{describeProblem(t, error)}</span>
          </span>
          <Button size="sm" onClick={refetch}>
            {t('common:actions.retry')}
          </Button>
        </div>
      )}
      {isNone && (
        <div role="status" className="px-4 pt-4 pb-2 break-words">
          <p className="font-medium">{t('none', { text })}</p>
          <p className="text-muted">{t('noneDescription')}</p>
        </div>
      )}
    </>
  );
}

const icons: Record<ChoiceKind, LucideIcon> = {
  page: PanelTop,
  action: CornerDownRight,
  agent: Bot,
  article: BookOpen,
  playbook: ListOrdered,
  tool: Wrench,
  task: ListChecks,
  session: Globe,
  member: User,
};

const optionId = (list: string, index: number) => `${list}-${index}`;

type ChoiceListProps = {
  id: string;
  groups: readonly ChoiceGroup[];
  /** What was typed; it stands out in the titles. */
  text: string;
  /** Of the chosen one, among all groups. */
  index: number;
  setIndex: (index: number) => void;
  choose: (choice: Choice) => void;
};

/** The list of a combobox: the focus stays in the box above it. */
function ChoiceList({ id, groups, index, ...rest }: ChoiceListProps) {
  const { t } = useTranslation('search');
  let first = 0;
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t('title')}
      className="min-h-0 flex-1 overflow-y-auto p-2"
    >
      {groups.map(({ kind, choices }) => {
        const start = first;
        first += choices.length;
        const heading = `${id}-${kind}`;
        return (
          <fieldset key={kind} aria-labelledby={heading} className="min-w-0 pb-2">
            <p id={heading} className="px-3 py-1 text-xs font-medium text-muted">
              {t(`groups.${kind}`)}
            </p>
            {choices.map((choice, place) => (
              <Option
                key={choice.to}
                id={optionId(id, start + place)}
                index={start + place}
                choice={choice}
                isActive={index === start + place}
                {...rest}
              />
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}

type OptionProps = Omit<ChoiceListProps, 'groups'> & { choice: Choice; isActive: boolean };

function Option({ id, choice, text, index: own, setIndex, choose, isActive }: OptionProps) {
  const option = useRef<HTMLDivElement>(null);
  const { kind, title, detail } = choice;
  const Icon = icons[kind];
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      // The focus stays in the box.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => setIndex(own)}
      onClick={() => choose(choice)}
      onKeyDown={(event) => event.key === 'Enter' && choose(choice)}
      className={cx(
        'flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 py-2 outline-none',
        isActive && 'bg-sunken',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {piecesOf(title, text).map((piece) =>
          piece.isMatch ? (
            <mark key={piece.at} className="bg-transparent font-semibold text-accent">
              {piece.text}
            </mark>
          ) : (
            <span key={piece.at}>{piece.text}</span>
          ),
        )}
      </span>
      {detail && (
        <span dir="auto" className="max-w-[40%] shrink-0 truncate text-xs text-muted">
          {detail}
        </span>
      )}
    </div>
  );
}

/** Stands for an address: the list of shortcuts opens over any page. */
const SHORTCUTS = '#shortcuts';
/** So many agents are offered before anything is typed. */
const AGENTS_MAX = 3;

function usePlaces(): { pages: readonly Choice[]; actions: readonly Choice[] } {
  const { t } = useTranslation(['search', 'common']);
  const { role } = useCurrentUser();
  const { data: agents = [] } = useListAgentsQuery();
  const active = mayCall(role, executeTask) ? agents.filter(({ isActive }) => isActive) : [];
  const pages = mainPages(role).map(({ to, key }) => choice('page', to, t(`common:${key}`)));
  return {
    pages: [...pages, choice('page', '/settings', t('common:shell.settings'))],
    actions: [
      ...active
        .slice(0, AGENTS_MAX)
        .map(({ id, name }) =>
          choice('action', `/agents/${id}/execute`, t('actions.runTask', { name })),
        ),
      ...creations(role).map(({ to, key }) => choice('action', to, t(`actions.${key}`))),
      ...(mayCall(role, purchaseCredits)
        ? [choice('action', '/billing', t('actions.buyCredits'))]
        : []),
      choice('action', '/settings?tab=security', t('actions.changePassword')),
      choice('action', '/settings?tab=notifications', t('actions.chooseNotifications')),
      choice('action', SHORTCUTS, t('shortcuts.title')),
    ],
  };
}

/** What the palette offers for a text: pages and actions at once, then what the server finds. */
function useChoices(typed: string): Choices {
  const { t } = useTranslation('search');
  const { id } = useCurrentUser();
  const [recent] = useState(() => recentChoices(id));
  const { pages, actions } = usePlaces();
  const text = typed.trim().slice(0, SEARCH_TEXT_MAX);
  const settled = useSettled(text);
  const { currentData, error, isFetching, refetch } = useSearchQuery(
    { q: settled },
    {
      skip: settled === '',
      // What was found before may be gone.
      refetchOnMountOrArgChange: true,
    },
  );
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
