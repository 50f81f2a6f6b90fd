/** Each format is cached by language and options: making one takes as long as hundreds of uses. */
function kept<Options extends object, Format>(
  make: (language?: string, options?: Options) => Format,
) {
  const made = new Map<string, Format>();
  return (language?: string, options?: Options): Format => {
    const key = `${language} ${JSON.stringify(options)}`;
    const known = made.get(key);
    if (known) return known;
    const format = make(language, options);
    made.set(key, format);
    return format;
  };
}

type NumberOptions = Intl.NumberFormatOptions;
type DateOptions = Intl.DateTimeFormatOptions;

export const numberFormat = kept(
  (language, options?: NumberOptions) => new Intl.NumberFormat(language, options),
);
/** Without a style it writes a date in figures. */
export const dateFormat = kept(
  (language, options?: DateOptions) => new Intl.DateTimeFormat(language, options),
);
export const relativeTimeFormat = kept(
  (language, options?: Intl.RelativeTimeFormatOptions) =>
    new Intl.RelativeTimeFormat(language, options),
);
export const collator = kept(
  (language, options?: Intl.CollatorOptions) => new Intl.Collator(language, options),
);
export const listFormat = kept(
  (language, options?: Intl.ListFormatOptions) => new Intl.ListFormat(language, options),
);
