import { ListChecks, X } from 'lucide-react';
import {
  type ReactNode,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { among, SELECTED_MAX, type Selection } from '../ui/selection.ts';
import { showFailure, showToast } from '../ui/toast.ts';
import { type BulkAction, type BulkResult, type Failed, runBulk } from './bulk.ts';
import { describeProblem } from './problem.ts';

/** What a list tells the bar about its selection. */
export type BulkState<Item> = {
  /** All items of the list. */
  items: readonly Item[];
  selection: Selection;
};

type BulkBarProps<Item> = BulkState<Item> & {
  nameOf: (item: Item) => string;
  actions: readonly BulkAction<Item>[];
  /** More buttons. They pass the outcome of their action to `report`, which shows it. */
  children?: (selected: readonly Item[], report: (result: BulkResult<Item>) => void) => ReactNode;
};

/** How many are selected and what can be done with them, at the bottom of the window. */
export function BulkBar<Item extends { id: string }>(props: BulkBarProps<Item>) {
  const { items, selection, actions, nameOf, children } = props;
  const { t } = useTranslation('bulk');
  const [asking, setAsking] = useState<BulkAction<Item>>();
  const [running, setRunning] = useState<{ key: string; ended: number; of: number }>();
  const [failed, setFailed] = useState<readonly Failed<Item>[]>([]);
  const selected = items.filter(({ id }) => selection.chosen.has(id));
  const appliesTo = ({ appliesTo: test }: BulkAction<Item>) =>
    test ? selected.filter(test) : selected;
  /** Those that failed stay selected, to be tried again. */
  const report = (result: BulkResult<Item>) => {
    setFailed(result.failed);
    if (result.failed.length > 0) selection.choose(result.failed.map(({ item }) => item.id));
  };
  const undo = async ({ run, done }: NonNullable<BulkAction<Item>['undo']>, of: Item[]) => {
    const result = await runBulk(of, run);
    const [first] = result.failed;
    if (!first) return showToast({ title: done(of.length) });
    showFailure({
      title: t('failed', { n: result.failed.length }),
      description: `${nameOf(first.item)}: ${describeProblem(t, first.error)}`,
    });
  };
  const start = async (action: BulkAction<Item>) => {
    const of = appliesTo(action);
    const progress = (ended: number) => setRunning({ key: action.key, ended, of: of.length });
    progress(0);
    const result = await runBulk(of, action.run, progress);
    setRunning(undefined);
    setAsking(undefined);
    if (result.failed.length === 0) selection.clear();
    report(result);
    const { done } = result;
    if (done.length === 0) return;
    const back = action.undo;
    showToast({
      title: action.done(done.length),
      ...(back && {
        action: { label: t('common:actions.undo'), onClick: () => void undo(back, done) },
      }),
    });
  };
  if (selected.length === 0 && !asking) return null;
  return (
    <>
      {selected.length > 0 && (
        <Bar
          items={items}
          selection={selection}
          count={selected.length}
          isBusy={running !== undefined}
          failures={<Failures failed={failed} nameOf={nameOf} chosen={selection.chosen} />}
        >
          {actions.map((action) => {
            const { length } = appliesTo(action);
            return (
              <Button
                key={action.key}
                size="sm"
                icon={action.icon}
                disabled={length === 0}
                pending={!asking && running?.key === action.key}
                onClick={() => (action.ask ? setAsking(action) : void start(action))}
              >
                {action.label(length)}
              </Button>
            );
          })}
          {children?.(selected, report)}
        </Bar>
      )}
      {asking?.ask && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && !running && setAsking(undefined)}
          variant={asking.ask.variant}
          title={asking.ask.title(running?.of ?? appliesTo(asking).length)}
          description={
            <>
              {asking.ask.description}
              <span aria-live="polite" className="mt-2 block min-h-5">
                {running && t('progress', { done: running.ended, n: running.of })}
              </span>
            </>
          }
          confirmLabel={asking.label(running?.of ?? appliesTo(asking).length)}
          {...(asking.ask.cancelLabel && { cancelLabel: asking.ask.cancelLabel })}
          pending={running !== undefined}
          onConfirm={() => void start(asking)}
        />
      )}
    </>
  );
}

const TYPED_IN = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';

function Bar<Item extends { id: string }>({
  items,
  selection,
  count,
  isBusy,
  failures,
  children,
}: BulkState<Item> & {
  count: number;
  isBusy: boolean;
  failures: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation('bulk');
  const area = useRef<HTMLElement>(null);
  const keys = items.map(({ id }) => id);
  const most = Math.min(keys.length, SELECTED_MAX);
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    // What handled the key itself, such as a menu or a dialog, has prevented its default.
    if (event.key !== 'Escape' || event.defaultPrevented || isBusy) return;
    if (!(event.target as Element).closest(TYPED_IN)) selection.clear();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onEscape(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  useLayoutEffect(() => {
    const shown = area.current;
    return () => {
      if (shown?.contains(document.activeElement)) queueMicrotask(focusList);
    };
  }, []);
  return (
    <section
      ref={area}
      aria-label={t('selected', { n: count })}
      className="bulk-bar sticky bottom-3 z-10 mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-raised py-2 pr-2 pl-4 shadow-float max-sm:pl-2 print:hidden"
    >
      <span className="tabular font-medium whitespace-nowrap max-sm:pl-2" aria-live="polite">
        {t('selected', { n: count })}
      </span>
      {count < most && (
        <Button
          size="sm"
          variant="ghost"
          icon={ListChecks}
          className="-ml-3 max-sm:[&_svg]:hidden"
          onClick={() => selection.choose(keys)}
        >
          {t('selectAll', { n: most })}
        </Button>
      )}
      {count === SELECTED_MAX && keys.length > SELECTED_MAX && (
        <span className="text-xs text-muted">{t('limit', { n: SELECTED_MAX })}</span>
      )}
      <div className="ml-auto grid grid-cols-2 gap-2 max-sm:order-last max-sm:w-full sm:flex sm:flex-wrap sm:justify-end">
        {children}
      </div>
      <IconButton
        icon={X}
        label={t('clear')}
        className="max-sm:ml-auto"
        onClick={selection.clear}
      />
      {failures}
    </section>
  );
}

/** The bar is gone: the keyboard continues in the list. */
const focusList = () =>
  (
    document.querySelector<HTMLElement>('main [data-selects]') ?? document.getElementById('content')
  )?.focus();

type FailuresProps<Item> = {
  failed: readonly Failed<Item>[];
  chosen: ReadonlySet<string>;
  nameOf: (item: Item) => string;
};

/** Why it failed, of those that are still selected. */
function Failures<Item extends { id: string }>({ failed, chosen, nameOf }: FailuresProps<Item>) {
  const { t } = useTranslation('bulk');
  const keys = failed.map(({ item }) => item.id);
  const present = among(chosen, keys);
  const shown = failed.filter(({ item }) => present.has(item.id));
  if (shown.length === 0) return null;
  return (
    <div role="alert" className="order-last max-h-40 basis-full overflow-y-auto pr-2 pb-1">
      <p className="font-medium text-danger">{t('failed', { n: shown.length })}</p>
      <ul className="text-muted">
        {shown.map(({ item, error }) => (
          <li key={item.id} className="break-words">
            <span className="font-medium text-text">{nameOf(item)}</span>:{' '}
            {describeProblem(t, error)}
          </li>
        ))}
      </ul>
    </div>
  );
}
