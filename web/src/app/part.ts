import { type ComponentType, lazy } from 'react';
import { type Namespace, needWords } from './i18n.ts';

/**
 * A component that is loaded when it is first shown, together with its `words`: those of all that it
 * imports, except the common ones. On the given `paths` it is loaded at once, because a part within
 * another part would have to wait for that one.
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
