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

const intlNumberFormat = kept(
  (language, options?: NumberOptions) => new Intl.NumberFormat(language, options),
);
/** From here on numbers have separators, in some of the languages. */
const GROUPED_MIN = 1_000;
const isPlain = (value: number) => Number.isInteger(value) && value >= 0 && value < GROUPED_MIN;

/**
 * Without options, small whole numbers are written without `Intl`, alike in all languages: the first
 * format of numbers takes a browser as long as the rest of a page's first picture.
 */
export function numberFormat(language?: string, options?: NumberOptions) {
  if (options) return intlNumberFormat(language, options);
  return {
    format: (value: number) =>
      isPlain(value) ? String(value) : intlNumberFormat(language).format(value),
  };
}
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
