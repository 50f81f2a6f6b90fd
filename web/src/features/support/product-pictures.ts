import type { PictureFile } from './product-picture.tsx';

const files = import.meta.glob<string>('../../../../docs/images/*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The files of the pictures whose names begin like this. `npm run screenshots` takes them. */
export const pictureNamed =
  (image: string): PictureFile =>
  (look) =>
    files[`../../../../docs/images/${image}-${look}.webp`];
