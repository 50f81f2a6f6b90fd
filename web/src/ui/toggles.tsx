import * as RadixCheckbox from '@radix-ui/react-checkbox';
import * as Radix from '@radix-ui/react-switch';
import { Check } from 'lucide-react';
import { type ReactNode, useId } from 'react';

type ToggleProps = {
  label: string;
  help?: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
};

/** On or off, at once or with its form; the words at its right are part of the target. */
export function Switch({
  label,
  help,
  checked,
  disabled,
  onCheckedChange,
}: ToggleProps & { disabled?: boolean }) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onCheckedChange}
        aria-describedby={help ? `${id}-help` : undefined}
        className="disabled:opacity-50 mt-px inline-flex h-5 w-9 shrink-0 items-center rounded-full bg-border p-0.5 transition-colors duration-150 ease-out data-[state=checked]:bg-accent"
      >
        <Radix.Thumb className="size-4 rounded-full bg-raised transition-transform duration-150 ease-out data-[state=checked]:translate-x-4" />
      </Radix.Root>
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-xs text-muted">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}

export function Checkbox({ label, help, checked, onCheckedChange }: ToggleProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <RadixCheckbox.Root
        id={id}
        checked={checked}
        onCheckedChange={(value) => onCheckedChange(value === true)}
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-0.5 inline-flex size-4 shrink-0 items-center justify-center rounded-sm border border-border bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <RadixCheckbox.Indicator>
          <Check aria-hidden className="size-3 stroke-3 text-on-accent" />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
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
