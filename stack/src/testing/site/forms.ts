import { escaped, paragraphs, type SitePage, table } from './layout.ts';

/** Who may sign in on the site; the tests' own. */
export const VISITOR = { name: 'kari', password: 'outdoors-2026' } as const;
export const SIGNED_IN_COOKIE = 'fjellhus=kari';

export type Sent = { path: string; isSignedIn: boolean; form: URLSearchParams };
/** A page, or where the browser is sent instead, with or without a cookie. */
export type FormAnswer = SitePage | { location: string; cookie?: string };

/** Forms that a person fills, and what lies behind the sign-in. */
export function formAnswer(
  method: string,
  { path, isSignedIn, form }: Sent,
): FormAnswer | undefined {
  const isPost = method === 'POST';
  switch (path) {
    case '/contact':
      return isPost ? thanks(form) : contact;
    case '/login':
      return isPost ? signIn(form) : login('');
    case '/account':
      return isSignedIn ? account : { location: '/login' };
    case '/basket':
      return isPost ? { title: 'Basket', main: '<h1>Your basket has 1 item</h1>' } : undefined;
    default:
      return undefined;
  }
}

const contact: SitePage = {
  title: 'Contact',
  main: `<h1>Contact</h1>
  ${table([
    ['Telephone', '+47 55 01 23 45'],
    ['E-mail', 'hello@fjellhus.example'],
    ['Opening hours', 'Monday to Friday 10:00 to 18:00, Saturday 10:00 to 15:00'],
  ])}
  <form method="post" action="/contact">
    <p><label>Your name <input name="name" required></label></p>
    <p><label>Your e-mail <input type="email" name="email" required></label></p>
    <p><label>Message <textarea name="message" required></textarea></label></p>
    <button>Send message</button>
  </form>`,
};

const thanks = (form: URLSearchParams): SitePage => ({
  title: 'Thank you',
  main: `<h1>Thank you, ${escaped(form.get('name') ?? '')}</h1>${paragraphs('We answer in a day.')}`,
});

const login = (error: string): SitePage => ({
  title: 'Sign in',
  main: `<h1>Sign in</h1>${error && `<p role="alert">${error}</p>`}
  <form method="post" action="/login">
    <p><label>User name <input name="name" autocomplete="username"></label></p>
    <p><label>Password <input type="password" name="password"></label></p>
    <button>Sign in</button>
  </form>`,
});

function signIn(form: URLSearchParams): FormAnswer {
  const isRight = form.get('name') === VISITOR.name && form.get('password') === VISITOR.password;
  if (!isRight) return { ...login('The name or the password is wrong.'), status: 403 };
  return { location: '/account', cookie: `${SIGNED_IN_COOKIE}; Path=/; HttpOnly; SameSite=Lax` };
}

const account: SitePage = {
  title: 'My account',
  main: `<h1>My account</h1>
  ${table([
    ['Customer', 'Kari Nordmann'],
    ['Bonus points', '1,240'],
    ['Last order', 'F-20931 of 4 August 2026'],
  ])}`,
};
