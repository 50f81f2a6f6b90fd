import { createContext, type ReactNode, useContext, useId } from 'react';

type FieldWiring = {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
};

const FieldContext = createContext<FieldWiring | undefined>(undefined);

/** The attributes that tie a control to the label, help and error of its Field. */
export function useFieldWiring(): Partial<FieldWiring> {
  return useContext(FieldContext) ?? {};
}

export type FieldProps = {
  label: string;
  help?: ReactNode;
  /** Shown in place of the help. */
  error?: string;
  required?: boolean;
  /** A word beside the label, such as "optional". */
  hint?: string;
  children: ReactNode;
};

export function Field({ label, help, error, required, hint, children }: FieldProps) {
  const id = useId();
  const below = error || help ? `${id}-below` : undefined;
  const wiring: FieldWiring = {
    id,
    ...(below && { 'aria-describedby': below }),
    ...(error && { 'aria-invalid': true }),
    ...(required && { 'aria-required': true }),
  };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {hint && <span className="ml-1 font-normal text-muted">({hint})</span>}
      </label>
      <FieldContext value={wiring}>{children}</FieldContext>
      {error ? (
        <p id={below} className="text-xs text-danger">
          {error}
        </p>
      ) : (
        help && (
          <p id={below} className="text-xs text-muted">
            {help}
          </p>
        )
      )}
    </div>
  );
}
