import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';

/** A page that comes by a link is shown from its top, or from the place that the link names. */
export function usePlace() {
  const { pathname, hash } = useLocation();
  const place = `${pathname}${hash}`;
  useEffect(() => {
    const [, name] = place.split('#');
    const named = name ? document.getElementById(decodeURIComponent(name)) : null;
    if (named) named.scrollIntoView();
    else if (!name) window.scrollTo(0, 0);
  }, [place]);
}
