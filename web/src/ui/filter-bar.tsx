import { ListFilter, Plus, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { DropdownMenu, MenuChoice, MenuItem, MenuSeparator, SubMenu } from './dropdown-menu.tsx';
import { IconInput } from './field.tsx';
import { DaysDialog, FilterSheet } from './filter-sheet.tsx';
import {
  type ChangeFilter,
  type FilterBarProps,
  type FilterField,
  type FilterValues,
  NO_DAYS,
  periodOf,
} from './filters.ts';
import { dateFormat } from './formats.ts';
import { PERIODS } from './periods.ts';
import { usePhone } from './use-media-query.ts';

const SEARCH_MAX = 200;

/** What narrows a list, in one line: a search, chips of the filters that are set, and a menu of all. */
export function FilterBar(props: FilterBarProps) {
  const { search, values, change, clear, children } = props;
  const { t } = useTranslation('lists');
  const phone = usePhone();
  const bar = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<'all' | 'days'>();
  const active = useActiveFilters(props);
  const canFilter = props.fields.some(({ options }) => options) || props.dates;
  // What had the focus is gone: it stays in the bar.
  const focusOn = () => bar.current?.querySelector<HTMLElement>('[data-add-filter]')?.focus();
  const open = () => {
    props.onOpen?.();
    setOpened('all');
  };
  const openDays = () => setOpened('days');
  const close = () => setOpened(undefined);
  return (
    <div ref={bar} className="flex flex-wrap items-center gap-2 print:hidden">
      {search && <SearchBox label={search} value={values.q ?? ''} change={change} />}
      {active.length > 0 && (
        <ul aria-label={t('filters.active')} className="contents">
          {active.map((filter) => (
            <li key={filter.key} className="min-w-0">
              <Chip
                {...props}
                filter={filter}
                open={phone ? open : undefined}
                openDays={openDays}
                remove={() => {
                  change(filter.without, 'chosen');
                  focusOn();
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {canFilter && !phone && <AddFilter {...props} openDays={openDays} />}
      {canFilter && phone && (
        <Button data-add-filter icon={ListFilter} onClick={open}>
          {active.length > 0 ? t('filters.counted', { number: active.length }) : t('filters.title')}
        </Button>
      )}
      {(active.length > 0 || values.q) && (
        <Button
          variant="ghost"
          onClick={() => {
            clear();
            focusOn();
          }}
        >
          {t('filters.clearAll')}
        </Button>
      )}
      {children && (
        <div className="flex flex-wrap items-center gap-2 max-sm:contents sm:ml-auto">
          {children}
        </div>
      )}
      {opened === 'all' && <FilterSheet {...props} close={close} />}
      {opened === 'days' && <DaysDialog {...props} close={close} />}
    </div>
  );
}

const TYPING_MS = 300;

/** The typed text, applied once the user pauses: each letter would be a search. */
function useTyped(value: string, settle: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Something else changed the address, such as the button that clears it.
  if (value !== known) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => settle(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped] as const;
}

function SearchBox({
  label,
  value,
  change,
}: {
  label: string;
  value: string;
  change: ChangeFilter;
}) {
  const [typed, setTyped] = useTyped(value, (q) => change({ q }, 'typed'));
  return (
    <IconInput
      icon={Search}
      type="search"
      className="w-full sm:w-auto sm:max-w-64 sm:min-w-40 sm:flex-1"
      maxLength={SEARCH_MAX}
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

type ActiveFilter = {
  key: string;
  label: string;
  value: string;
  /** What removes it. */
  without: FilterValues;
  /** Absent for the days. */
  field?: FilterField;
};

/** The filters that are set, but for the search, whose text is seen where it was typed. */
function useActiveFilters({ fields, dates, values }: FilterBarProps): ActiveFilter[] {
  const daysText = useDaysText();
  const chosen = fields.flatMap((field): ActiveFilter[] => {
    const { name, label, options, unknown } = field;
    const value = values[name];
    if (!value) return [];
    const option = options?.find((each) => each.value === value);
    const text = option?.label ?? unknown?.(value) ?? value;
    return [{ key: name, label, value: text, without: { [name]: undefined }, field }];
  });
  const days = dates ? daysText(values) : '';
  if (!dates || days === '') return chosen;
  return [...chosen, { key: 'days', label: dates, value: days, without: NO_DAYS }];
}

/** Describes the chosen days; empty if there are none. */
function useDaysText() {
  const { t, i18n } = useTranslation('lists');
  const format = dateFormat(i18n.language, { dateStyle: 'medium' });
  const dateOf = (day: string) => new Date(`${day}T12:00:00`);
  return (values: FilterValues): string => {
    const period = periodOf(values);
    if (period) return t(`dates.${period}`);
    const { from, to } = values;
    if (from && to && from <= to) return format.formatRange(dateOf(from), dateOf(to));
    if (from && to) return `${format.format(dateOf(from))} – ${format.format(dateOf(to))}`;
    if (from) return t('dates.since', { day: format.format(dateOf(from)) });
    return to ? t('dates.until', { day: format.format(dateOf(to)) }) : '';
  };
}

type ChipProps = FilterBarProps & {
  filter: ActiveFilter;
  /** Opens the sheet of all filters, in place of a menu. */
  open: (() => void) | undefined;
  openDays: () => void;
  remove: () => void;
};

/** A filter that is set: its values open beside it, and a cross removes it. */
function Chip({ filter, open, remove, ...bar }: ChipProps) {
  const { t } = useTranslation('lists');
  const { label, value, field } = filter;
  const words = (
    <>
      <span className="text-muted">{label}: </span>
      <span className="min-w-0 truncate font-medium">{value}</span>
    </>
  );
  const trigger = (
    <button
      type="button"
      onClick={open}
      title={value}
      className="inline-flex h-full min-w-0 items-center gap-1 rounded-l-md pl-3 hover:bg-sunken"
    >
      {words}
    </button>
  );
  const isFixed = field !== undefined && !field.options?.length;
  return (
    <div className="inline-flex h-9 max-w-full min-w-0 items-center rounded-md border border-line bg-surface text-sm sm:max-w-80">
      {isFixed && <span className="inline-flex min-w-0 items-center gap-1 pl-3">{words}</span>}
      {!isFixed && open && trigger}
      {!isFixed && !open && (
        <DropdownMenu align="start" trigger={trigger}>
          {field ? <Values {...bar} field={field} /> : <DayItems {...bar} />}
        </DropdownMenu>
      )}
      <button
        type="button"
        aria-label={t('filters.remove', { name: label, value })}
        onClick={remove}
        className="inline-flex h-full w-8 shrink-0 items-center justify-center rounded-r-md text-muted hover:bg-sunken hover:text-text"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </div>
  );
}

/** All filters, each with its values in a menu beside it. */
function AddFilter(props: FilterBarProps & { openDays: () => void }) {
  const { t } = useTranslation('lists');
  const { fields, dates, onOpen } = props;
  return (
    <DropdownMenu
      align="start"
      trigger={
        <Button data-add-filter icon={Plus} onPointerEnter={onOpen} onFocus={onOpen}>
          {t('filters.add')}
        </Button>
      }
    >
      {fields.map(
        (field) =>
          field.options && (
            <SubMenu key={field.name} label={field.label} disabled={field.options.length === 0}>
              <Values {...props} field={field} />
            </SubMenu>
          ),
      )}
      {dates && (
        <SubMenu label={dates}>
          <DayItems {...props} />
        </SubMenu>
      )}
    </DropdownMenu>
  );
}

type MenuProps = Pick<FilterBarProps, 'values' | 'change'>;

function Values({
  field: { name, options = [] },
  values,
  change,
}: MenuProps & { field: FilterField }) {
  return (
    <MenuChoice
      value={values[name] ?? ''}
      options={options}
      onChange={(value) => change({ [name]: value }, 'chosen')}
    />
  );
}

function DayItems({ values, change, openDays }: MenuProps & { openDays: () => void }) {
  const { t } = useTranslation('lists');
  return (
    <>
      <MenuChoice
        value={periodOf(values) ?? ''}
        options={PERIODS.map((value) => ({ value, label: t(`dates.${value}`) }))}
        onChange={(period) => change({ ...NO_DAYS, period }, 'chosen')}
      />
      <MenuSeparator />
      <MenuItem onSelect={openDays}>{t('dates.custom')}</MenuItem>
    </>
  );
}
