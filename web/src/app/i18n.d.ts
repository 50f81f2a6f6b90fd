import type { resources } from '../locales/en.ts';

/** Keys are checked by the compiler: a text that does not exist does not compile. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: typeof resources;
  }
}
