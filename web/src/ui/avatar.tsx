/** The first letter of a name. The name itself stands beside it, so this is decoration. */
export function Avatar({ name }: { name: string }) {
  const [initial = '?'] = name.trim();
  return (
    <span
      aria-hidden
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-full wash-accent text-sm font-semibold text-accent"
    >
      {initial.toLocaleUpperCase()}
    </span>
  );
}
