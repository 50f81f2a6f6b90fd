const WIDTH = 1440;
const HEIGHT = 900;
const images = import.meta.glob<string>('../../../../docs/images/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** A picture of the product, taken by its own tests; `image` is the name of its file. */
export function ProductPicture({ image, alt }: { image: string; alt: string }) {
  return (
    <img
      src={images[`../../../../docs/images/${image}.png`]}
      alt={alt}
      width={WIDTH}
      height={HEIGHT}
      loading="lazy"
      className="h-auto w-full rounded-lg border border-line"
    />
  );
}
