import { Check } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { useId } from 'react';
import type { ToggleProps } from './switch.tsx';

export function Checkbox({ label, help, checked, onCheckedChange, disabled }: ToggleProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={(value) => onCheckedChange(value === true)}
        disabled={disabled}
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-0.5 inline-flex size-4 shrink-0 items-center justify-center rounded-sm border border-border bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-55"
      >
        <Radix.Indicator>
          <Check aria-hidden className="size-3 stroke-3 text-on-accent" />
        </Radix.Indicator>
      </Radix.Root>
      <div className="min-w-0">
        <label htmlFor={id} className="block text-sm">
          {label}
        </label>
        {help && (
          <div id={`${id}-help`} className="text-xs text-muted">
            {help}
          </div>
        )}
      </div>
    </div>
  );
}
