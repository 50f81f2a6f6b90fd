import { type ComponentType, lazy } from 'react';
import { type Namespace, needWords } from './i18n.ts';

/**
 * A part that is loaded when it is first shown, together with its `words`: those of all that it
 * imports, but for the common ones. On the given `paths` it is asked for at once: a part that
 * stands within another would wait for that one otherwise.
 */
export function part<P>(
  paths: readonly string[],
  words: readonly Namespace[],
  load: () => Promise<ComponentType<P>>,
) {
  const both = async () => {
    const [component] = await Promise.all([load(), needWords(words)]);
    return { default: component };
  };
  const begun = paths.includes(window.location.pathname) ? both() : undefined;
  // The component that shows it handles the failure.
  begun?.catch(() => {});
  return lazy(() => begun ?? both());
}
