const files: Record<string, string> = import.meta.glob('./flags/*.svg', {
  eager: true,
  import: 'default',
  query: '?url',
});

/** A small flag for a language, beside its name. Nothing if there is none. */
export function Flag({ language }: { language: string }) {
  const file = files[`./flags/${language}.svg`];
  return (
    file && (
      <img
        src={file}
        alt=""
        width={20}
        height={15}
        className="shrink-0 rounded-[2px] outline outline-line"
      />
    )
  );
}
