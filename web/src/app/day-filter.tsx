import { Field, Input } from '../ui/field.tsx';

type Days = { from?: string | undefined; to?: string | undefined };

type DayFilterProps = {
  name: keyof Days;
  label: string;
  filter: Days;
  change: (days: Days, how: 'typed') => void;
};

/** The first or the last day of what is shown; neither goes past the other. */
export function DayFilter({ name, label, filter, change }: DayFilterProps) {
  return (
    <div className="w-[calc(50%-6px)] min-w-0 sm:w-44">
      <Field label={label}>
        <Input
          type="date"
          name={name}
          max={name === 'from' ? filter.to : undefined}
          min={name === 'to' ? filter.from : undefined}
          value={filter[name] ?? ''}
          onChange={({ target }) => change({ [name]: target.value }, 'typed')}
        />
      </Field>
    </div>
  );
}
