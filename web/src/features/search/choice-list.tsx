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
} from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from '../../ui/cx.ts';
import { type Choice, type ChoiceGroup, type ChoiceKind, piecesOf } from './choices.ts';

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

export const optionId = (list: string, index: number) => `${list}-${index}`;

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
export function ChoiceList({ id, groups, index, ...rest }: ChoiceListProps) {
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
