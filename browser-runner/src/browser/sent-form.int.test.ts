import { describe, expect, it } from 'vitest';
import type { SentForm, SessionBrowser } from '../session-browser.ts';
import { never, type Pages, refOf } from './fixtures/pages.ts';
import { sharedPages } from './fixtures/shared-pages.ts';

const openSite = sharedPages({ isOneSession: true });

/** A page with this content, open in a browser. */
async function opened(content: string, more: Pages = {}) {
  const site = await openSite({ '/': content, ...more });
  await site.browser.act({ type: 'open', url: site.origin }, never);
  return site;
}

const ofClick = async (browser: SessionBrowser, on: string) =>
  browser.form({ type: 'click', ref: await refOf(browser, on) }, never);
const ofEnter = async (browser: SessionBrowser, on: string, text: string) =>
  browser.form({ type: 'type', ref: await refOf(browser, on), text, submit: true }, never);

const given = (form: SentForm | null | 'unread') => {
  if (form === null || form === 'unread') throw new Error(`There is no form: ${form}`);
  return form;
};

const contact = `<form method="post" action="/contact">
<input type="hidden" name="token" value="of-the-page">
<label>Name <input name="name" value="Ada"></label>
<label>Password <input type="password" name="secret" value="long-and-secret"></label>
<label>Topic <select name="topic"><option value="1">Sales</option>
<option value="2" selected>Support</option></select></label>
<label>News <input type="checkbox" name="news" checked></label>
<label>Calls <input type="checkbox" name="calls"></label>
<label>Message <textarea name="message">Hello</textarea></label>
<button name="how" value="now">Send it</button>
<button formaction="/later">Send later</button><button type="button">Preview</button></form>`;

describe('the form that an action sends', () => {
  it('is shown with where it goes and its fields, without passwords and hidden fields', async () => {
    await using page = await opened(contact);
    const { origin } = page;
    const form = given(await ofClick(page.browser, 'button "Send it"'));
    expect(form).toMatchObject({ name: 'Send it', host: new URL(origin).host });
    expect(form.args).toEqual({
      page: `${origin}/`,
      address: `${origin}/contact`,
      method: 'POST',
      button: 'Send it',
      fields: {
        name: 'Ada',
        secret: '••••••',
        topic: 'Support',
        news: 'on',
        message: 'Hello',
      },
    });
    const later = given(await ofClick(page.browser, 'button "Send later"'));
    expect(later.args).toMatchObject({ address: `${origin}/later`, button: 'Send later' });
  });

  it('has what is typed before Enter is pressed, which a password hides', async () => {
    await using page = await opened(contact);
    const form = given(await ofEnter(page.browser, 'textbox "Name"', 'Grace'));
    expect(form.args).toMatchObject({ button: 'Send it', fields: { name: 'Grace' } });
    const secret = given(await ofEnter(page.browser, 'textbox "Password"', 'another-secret'));
    expect(secret.args).toMatchObject({ fields: { name: 'Ada', secret: '••••••' } });
    expect(JSON.stringify(secret.args)).not.toContain('another-secret');
    // Nothing was done.
    expect((await page.browser.view({ withImage: false }, never))?.outline).not.toContain('Grace');
  });

  it.each([
    ['the value of a hidden field', `elements.token.value = 'other'`, true],
    ['the value of a password', `elements.secret.value = 'other'`, false],
    ['the value of a shown field', `elements.name.value = 'other'`, false],
    ['the name of a hidden field', `elements.token.name = 'other'`, false],
    ['a hidden field that is gone', `elements.token.remove()`, false],
    ['its address', `setAttribute('action', '/other')`, false],
  ])('after a change of %s: the same one or not', async (_, change, isSame) => {
    await using page = await opened(
      `${contact}<button onclick="document.forms[0].${change}">Change</button>`,
    );
    const before = given(await ofClick(page.browser, 'button "Send it"'));
    expect(given(await ofClick(page.browser, 'button "Send it"')).print).toBe(before.print);
    const ref = await refOf(page.browser, 'button "Change"');
    await page.browser.act({ type: 'click', ref }, never);
    const after = given(await ofClick(page.browser, 'button "Send it"'));
    expect(after.print === before.print).toBe(isSame);
  });

  it('has all values of a repeated name, and a name for a field without one', async () => {
    await using page = await opened(`<form method="post">
      <input name="to" value="a"><input name="to" value="b"><input aria-label="Amount" value="7">
      <button>Pay</button></form>`);
    const form = given(await ofClick(page.browser, 'button "Pay"'));
    expect(form.args).toMatchObject({ fields: { to: ['a', 'b'], Amount: '7' } });
  });

  it.each([
    ['a script handles', '<form><input name="q"><button>Go</button></form>'],
    ['a script handles at an empty address', '<form action="#"><button>Go</button></form>'],
    ['is sent from outside', '<form method="post" id="f"></form><button form="f">Go</button>'],
    ['an input sends', '<form method="post"><input type="submit" value="Go"></form>'],
    [
      'hides its method',
      '<form method="post"><input name="method" value="get"><input name="elements"><button>Go</button></form>',
    ],
    ['a button makes a POST', '<form action="/found"><button formmethod="post">Go</button></form>'],
    [
      'is clicked in a frame',
      `<iframe srcdoc="<form method='post'><button>Go</button></form>"></iframe>`,
    ],
    [
      'has its button in a shadow',
      `<div id="host"></div><script>
      document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML =
        '<form method="post"><button>Go</button></form>'</script>`,
    ],
  ])('counts if it %s', async (_, content) => {
    await using page = await opened(content);
    expect(given(await ofClick(page.browser, 'button "Go"')).args).toMatchObject({ button: 'Go' });
  });

  it.each([
    [
      'a search that only reads',
      '<form action="/found"><input name="q"><button>Go</button></form>',
    ],
    ['a button that sends nothing', '<form method="post"><button type="button">Go</button></form>'],
    ['a button without a form', '<button>Go</button>'],
  ])('is none of %s', async (_, content) => {
    await using page = await opened(content);
    expect(await ofClick(page.browser, 'button "Go"')).toBeNull();
  });

  it('is found behind what a click in the middle of something else hits', async () => {
    await using page = await opened(`<div role="group" aria-label="Order" style="width: 400px">
      <form method="post"><button style="width: 100%; height: 80px">Buy</button></form></div>
      <div style="height: 3000px"></div>
      <section aria-label="Below"><form method="post"><button style="width: 100%">Later</button>
      </form></section>
      <label>Press this <input type="submit" value="Now" form="last"></label>
      <form id="last" method="post"></form>`);
    const { browser } = page;
    expect(given(await ofClick(browser, 'group "Order"')).args).toMatchObject({ button: 'Buy' });
    expect(given(await ofClick(browser, 'region "Below"')).args).toMatchObject({ button: 'Later' });
  });

  it('counts as one if a click on a frame may send any', async () => {
    await using page = await opened('<iframe title="Shop" src="/shop"></iframe>', {
      '/shop': '<form method="post"><button>Buy</button></form>',
    });
    const form = given(await ofClick(page.browser, 'iframe'));
    expect(form.args).toMatchObject({ address: `${page.origin}/shop`, method: 'unknown' });
  });

  it('is none of a search, of typing alone, of a longer text, or of other actions', async () => {
    await using page = await opened(
      `<form action="/found"><input aria-label="Words" name="q"></form>${contact}`,
    );
    const { browser } = page;
    expect(await ofEnter(browser, 'textbox "Words"', 'shoes')).toBeNull();
    expect(await ofEnter(browser, 'textbox "Message"', 'Hello')).toBeNull();
    const ref = await refOf(browser, 'textbox "Name"');
    expect(await browser.form({ type: 'type', ref, text: 'x', submit: false }, never)).toBeNull();
    expect(await browser.form({ type: 'click', ref }, never)).toBeNull();
    expect(await browser.form({ type: 'click', ref: 'e9999' }, never)).toBeNull();
    expect(await browser.form({ type: 'back' }, never)).toBeNull();
  });

  it('is not known of a page that prevents it', async () => {
    await using page = await opened(
      `${contact}<script>Element.prototype.getAttribute = () => { throw new Error('No') }</script>`,
    );
    expect(await ofClick(page.browser, 'button "Send it"')).toBe('unread');
  });
});
