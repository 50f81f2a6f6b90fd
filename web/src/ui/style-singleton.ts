import { useEffect } from 'react';

/**
 * Stands in for `react-style-singleton`, which dialogs and menus use to stop the page behind
 * them from scrolling. The original adds <style> tags; our Content-Security-Policy allows none.
 * A constructed style sheet does the same within the policy.
 */
export function stylesheetSingleton() {
  let users = 0;
  let sheet: CSSStyleSheet | undefined;
  return {
    add(css: string) {
      users += 1;
      if (users > 1) return;
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    },
    remove() {
      users -= 1;
      if (users > 0) return;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((it) => it !== sheet);
      sheet = undefined;
    },
  };
}

export function styleSingleton() {
  const sheet = stylesheetSingleton();
  return function Style({ styles }: { styles: string; dynamic?: boolean }) {
    useEffect(() => {
      sheet.add(styles);
      return () => sheet.remove();
    }, [styles]);
    return null;
  };
}
