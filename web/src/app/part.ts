import { type ComponentType, createElement, lazy, useState } from 'react';
import { later, useLater } from '../ui/later.tsx';
import { type Namespace, needWords } from './i18n.ts';

/** The parts of the page at which the app starts. */
const first: Promise<unknown>[] = [];

/** A page that takes longer than this to come begins with a spinner. */
const FIRST_MS_MAX = 5_000;

/**
 * Resolves when each is loaded or has failed. Shown before, the page would begin with a spinner, and
 * React holds back what replaces a spinner by up to 0.3 seconds.
 */
export async function firstPartsLoaded(): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, FIRST_MS_MAX));
  // Parts may begin further parts.
  for (let at = 0; at < first.length; at += 1) await Promise.race([first[at], late]);
}

/** Whether a path, in which `:id` stands for any one part, is the address. */
const isHere = (path: string) =>
  new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(window.location.pathname);

/** A component with its `words`: those of all that it imports, except the common ones. */
const withWords = <P>(words: readonly Namespace[], load: () => Promise<ComponentType<P>>) =>
  later(async () => (await Promise.all([load(), needWords(words)]))[0]);

/**
 * A page, or a part around pages, that is loaded when it is first shown; it suspends. On the given
 * `paths` it is loaded at once, because a part within another part would have to wait for that one.
 */
export function part<P extends object>(
  paths: readonly string[],
  words: readonly Namespace[],
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  const own = withWords(words, load);
  const begun = paths.some(isHere) ? own.load() : undefined;
  // The component that shows it handles the failure.
  if (begun) first.push(begun.catch(() => {}));
  const Lazy = lazy(async () => ({ default: await (begun ?? own.load()) }));
  return function Part(props: P) {
    // What is loaded is shown at once, and what was shown stays the same component.
    const [Shown] = useState(() => own.loaded() ?? (Lazy as unknown as ComponentType<P>));
    return createElement(Shown, props);
  };
}

const Nothing = () => null;

/**
 * A part of a page that is loaded when it is first shown, and meanwhile shows `Loading`. It does not
 * suspend, so that it appears as soon as it is there.
 */
export function laterPart<P extends object>(
  words: readonly Namespace[],
  load: () => Promise<ComponentType<P>>,
  Loading: ComponentType = Nothing,
): ComponentType<P> {
  const own = withWords(words, load);
  return function LaterPart(props: P) {
    const [failure, setFailure] = useState<Error>();
    const Shown = useLater(own, true, setFailure);
    if (failure) throw failure;
    return Shown ? createElement(Shown, props) : createElement(Loading);
  };
}
