import * as Radix from '@radix-ui/react-dropdown-menu';
import { Check, ChevronRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const itemClass = cx(
  'flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none select-none',
  'data-[highlighted]:bg-sunken data-[disabled]:cursor-default data-[disabled]:opacity-55',
  '[&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted',
);

const contentClass = cx(
  'z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-80 min-w-44 animate-pop',
  'overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float',
);

export function DropdownMenu({
  trigger,
  defaultOpen,
  align = 'end',
  children,
}: {
  /** The button that opens it; it must pass on its ref and props. */
  trigger: ReactNode;
  defaultOpen?: boolean;
  /** The edge that it shares with its button. */
  align?: 'start' | 'end';
  children: ReactNode;
}) {
  return (
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      {/* Within the main landmark, so that those who move by landmarks find it. */}
      <Radix.Portal container={document.querySelector('main')}>
        <Radix.Content align={align} sideOffset={4} collisionPadding={8} className={contentClass}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuItem({
  icon: Icon,
  danger,
  disabled,
  onSelect,
  children,
}: {
  icon?: LucideIcon;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(itemClass, danger && 'text-danger [&_svg]:text-danger')}
    >
      {Icon && <Icon aria-hidden />}
      {children}
    </Radix.Item>
  );
}

/** An item that leads somewhere, or to a file. */
export function MenuLink({
  href,
  download,
  children,
}: {
  href: string;
  download?: boolean;
  children: ReactNode;
}) {
  return (
    <Radix.Item asChild className={itemClass}>
      <a href={href} download={download}>
        {children}
      </a>
    </Radix.Item>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}

/** An item that opens a menu beside it. */
export function SubMenu({
  label,
  disabled,
  children,
}: {
  label: string;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <Radix.Sub>
      <Radix.SubTrigger
        disabled={disabled}
        className={cx(itemClass, 'data-[state=open]:bg-sunken')}
      >
        <span className="flex-1">{label}</span>
        <ChevronRight aria-hidden />
      </Radix.SubTrigger>
      <Radix.Portal container={document.querySelector('main')}>
        <Radix.SubContent collisionPadding={8} className={contentClass}>
          {children}
        </Radix.SubContent>
      </Radix.Portal>
    </Radix.Sub>
  );
}

/** On or off; the menu stays open for the next one. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={itemClass}
    >
      <span className="flex-1">{children}</span>
      <Radix.ItemIndicator>
        <Check aria-hidden />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  );
}

/** One of several, the chosen one ticked. */
export function MenuChoice<V extends string>({
  value,
  options,
  onChange,
}: {
  value: V;
  options: readonly { value: V; label: ReactNode; icon?: LucideIcon }[];
  onChange: (value: V) => void;
}) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as V)}>
      {options.map(({ value: option, label, icon: Icon }) => (
        <Radix.RadioItem key={option} value={option} className={itemClass}>
          {Icon && <Icon aria-hidden />}
          <span className="min-w-0 flex-1 truncate">{label}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
