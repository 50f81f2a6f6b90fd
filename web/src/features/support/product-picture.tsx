/** In CSS pixels; the pictures of a phone have two pixels for each. */
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 375, height: 667 };
/** Up to here a page is laid out as on a phone; as `sm` in the tokens. */
const PHONE_MEDIA = '(max-width: 639.98px)';

type Theme = 'light' | 'dark';
/** The address of a picture in these colours, and of this size. */
export type PictureFile = (look: `${Theme}-${'wide' | 'phone'}`) => string | undefined;
type ProductPictureProps = { file: PictureFile; alt: string };

/** A picture of the product in the colours of the page, of a phone where the page is on one. */
export function ProductPicture(props: ProductPictureProps) {
  return (
    <>
      <Themed {...props} theme="light" className="on-dark:hidden" />
      <Themed {...props} theme="dark" className="not-on-dark:hidden" />
    </>
  );
}

/** One that is hidden is not loaded either. */
function Themed({
  file,
  alt,
  theme,
  className,
}: ProductPictureProps & { theme: Theme; className: string }) {
  return (
    <picture className={className}>
      <source media={PHONE_MEDIA} srcSet={file(`${theme}-phone`)} {...PHONE} />
      <img
        src={file(`${theme}-wide`)}
        alt={alt}
        {...WIDE}
        loading="lazy"
        decoding="async"
        className="h-auto max-h-[inherit] w-full rounded-lg border border-line object-contain"
      />
    </picture>
  );
}
