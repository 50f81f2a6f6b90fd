import { VERIFIER_PATH } from '@tallyhand/contracts/web-paths';
import { type ComponentProps, createContext, type MouseEvent, use } from 'react';

type Place = { readonly key: string; readonly pathname: string; readonly hash: string };
type Going = { readonly replace?: boolean; readonly state?: unknown };

/** Where the user is, and how to get to another page without loading the document again. */
export type Navigation = {
  /** Its key changes with each navigation. */
  readonly place: Place;
  readonly go: (to: string, how: Going) => void;
};

const NavigationContext = createContext<Navigation | null>(null);
export const NavigationProvider = NavigationContext.Provider;

export function usePlaceOfPage(): Place {
  return navigationOf(use(NavigationContext)).place;
}

function navigationOf(navigation: Navigation | null): Navigation {
  if (!navigation) throw new Error('There is no navigation around this component');
  return navigation;
}

/** Whether a click is for this page: others open a tab or a window, or save the file. */
const isForThisPage = ({ button, metaKey, altKey, ctrlKey, shiftKey }: MouseEvent) =>
  button === 0 && !(metaKey || altKey || ctrlKey || shiftKey);

export type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'target' | 'download'> &
  Going & { to: string };

/**
 * A link to a page. The landing page is shown before the router is loaded, so that links don't need
 * the router but what is around them.
 */
export function Link({ to, replace, state, onClick, ...rest }: LinkProps) {
  const { go } = navigationOf(use(NavigationContext));
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isForThisPage(event)) return;
        const { origin, pathname } = event.currentTarget;
        // The verifier is a document by itself.
        if (origin !== window.location.origin || pathname === VERIFIER_PATH) return;
        event.preventDefault();
        go(to, { replace, state });
      }}
    />
  );
}
