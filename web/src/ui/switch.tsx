import { Switch as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';

export type ToggleProps = {
  label: string;
  help?: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  disabled?: boolean;
};

/** On or off, at once or with its form; the words at its right are part of the target. */
export function Switch({ label, help, checked, onCheckedChange, disabled }: ToggleProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={onCheckedChange}
        disabled={disabled}
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-px inline-flex h-5 w-9 shrink-0 items-center rounded-full bg-border p-0.5 transition-colors duration-150 ease-out data-[state=checked]:bg-accent disabled:opacity-55"
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
