import { Columns3, RotateCcw } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { HeaderButton } from './button.tsx';
import { DropdownMenu, MenuCheck, MenuChoice, MenuItem, MenuSeparator } from './dropdown-menu.tsx';
import {
  DENSITIES,
  type LayoutState,
  PLAIN,
  WIDTH_MAX,
  WIDTH_MIN,
  withShown,
  withWidth,
} from './table-layout.ts';

type Named = { key: string; header: string };

/** Which columns are shown, and how much room a row has. */
export function ColumnsMenu({
  columns: [, ...columns],
  layout,
  change,
}: LayoutState & { columns: readonly Named[] }) {
  const { t } = useTranslation('common');
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={t('table.columns')} className="-my-1 text-muted">
          <Columns3 aria-hidden />
        </HeaderButton>
      }
    >
      {columns.map(({ key, header }) => (
        <MenuCheck
          key={key}
          checked={!layout.hidden.includes(key)}
          onChange={(isShown) => change(withShown(layout, key, isShown))}
        >
          {header}
        </MenuCheck>
      ))}
      <MenuSeparator />
      <MenuChoice
        value={layout.density}
        options={DENSITIES.map((value) => ({ value, label: t(`table.${value}`) }))}
        onChange={(density) => change({ ...layout, density })}
      />
      <MenuSeparator />
      <MenuItem icon={RotateCcw} onSelect={() => change(PLAIN)}>
        {t('table.reset')}
      </MenuItem>
    </DropdownMenu>
  );
}

/** In pixels, of one press of a key. */
const STEP = 16;

/** At the right of a header: dragged, or moved with the left and right arrow keys. */
export function WidthHandle({ column, layout, change }: LayoutState & { column: Named }) {
  const { t } = useTranslation('common');
  const handle = useRef<HTMLHRElement>(null);
  const dragged = useRef<{ x: number; width: number }>(undefined);
  const [measured, setMeasured] = useState(WIDTH_MIN);
  const widthNow = () => handle.current?.parentElement?.offsetWidth ?? WIDTH_MIN;
  useEffect(() => setMeasured(handle.current?.parentElement?.offsetWidth ?? WIDTH_MIN), []);
  const { key, header } = column;
  const resize = (width: number) => change(withWidth(layout, key, width));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    resize(widthNow() + (event.key === 'ArrowRight' ? STEP : -STEP));
  };
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = { x: event.clientX, width: widthNow() };
  };
  const drag = ({ clientX }: PointerEvent) => {
    if (dragged.current) resize(dragged.current.width + clientX - dragged.current.x);
  };
  const end = () => {
    dragged.current = undefined;
  };
  return (
    <hr
      ref={handle}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('table.width', { column: header })}
      aria-valuenow={layout.widths[key] ?? measured}
      aria-valuemin={WIDTH_MIN}
      aria-valuemax={WIDTH_MAX}
      onKeyDown={onKeyDown}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={end}
      className="absolute inset-y-1 right-0 h-auto w-2 cursor-col-resize touch-none border-0 border-r border-transparent hover:border-border focus-visible:border-border print:hidden"
    />
  );
}
