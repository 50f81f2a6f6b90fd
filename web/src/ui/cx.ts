import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

const merge = extendTailwindMerge({
  extend: { theme: { text: ['xs', 'sm', 'base', 'lg', '2xl', '4xl'], shadow: ['float'] } },
});

/** Class names joined; where two of them set the same property, the last one wins. */
export function cx(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
