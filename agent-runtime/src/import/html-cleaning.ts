import {
  elementsNamed,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  isText,
  unwrap,
  walk,
} from './html-tree.ts';

/** Foreign elements have names in small letters. */
const furniture = new Set(
  `SCRIPT STYLE NOSCRIPT TEMPLATE NAV FOOTER ASIDE BUTTON INPUT SELECT TEXTAREA DATALIST IFRAME
   FRAMESET OBJECT EMBED CANVAS AUDIO VIDEO DIALOG MAP LINK META TITLE svg`.split(/\s+/),
);
const furnitureRoles = new Set(['navigation', 'contentinfo', 'complementary', 'search']);
const blocks = new Set(
  `H1 H2 H3 H4 H5 H6 P DIV UL OL LI TABLE PRE BLOCKQUOTE SECTION ARTICLE HEADER FIGURE HR DL
   DETAILS`.split(/\s+/),
);

/** What the chosen part of a page holds at least, of all its text. */
const mainShareMin = 0.6;

/** Removes what is no text of the page: furniture, forms, comments and what is hidden. */
export function dropFurniture(body: HtmlElement): void {
  const unwanted = [...walk(body)].map(({ node }) => node).filter((node) => !isWanted(node));
  for (const node of unwanted) node.parentNode?.removeChild(node);
  const enough = textLength(body) / 2;
  for (const form of elementsNamed(body, 'FORM')) {
    // Some servers put the whole page into one form.
    if (textLength(form) > enough) unwrap(form);
    else form.parentNode?.removeChild(form);
  }
}

function isWanted(node: HtmlElement | { nodeType: number }): boolean {
  if (node.nodeType === 3 || node.nodeType === 4) return true;
  if (!('getAttribute' in node) || furniture.has(node.nodeName)) return false;
  if (furnitureRoles.has(node.getAttribute('role') ?? '')) return false;
  if (node.getAttribute('hidden') !== null) return false;
  const style = node.getAttribute('style') ?? '';
  return !/(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 1000));
}

/** The smallest `main` or `article` that holds most of the text, else the whole body. */
export function mainPart(body: HtmlElement): HtmlElement {
  const enough = textLength(body) * mainShareMin;
  let best = { element: body, length: Number.POSITIVE_INFINITY };
  for (const { node } of walk(body)) {
    if (!isElement(node)) continue;
    const isMain = node.getAttribute('role') === 'main' || /^(?:MAIN|ARTICLE)$/.test(node.nodeName);
    if (!isMain) continue;
    const length = textLength(node);
    if (length > enough && length < best.length) best = { element: node, length };
  }
  return best.element;
}

/** Characters without white space. */
export function textLength(root: HtmlElement): number {
  let length = 0;
  for (const { node } of walk(root)) {
    if (isText(node)) length += node.textContent.replace(/\s+/g, '').length;
  }
  return length;
}

/** Puts the words that describe an image in its place. Returns the number of images. */
export function describeImages(document: HtmlDocument, root: HtmlElement): number {
  const images = elementsNamed(root, 'IMG');
  for (const image of images) {
    const alt = image.getAttribute('alt')?.trim() ?? '';
    if (alt !== '') image.parentNode?.insertBefore(document.createTextNode(alt), image);
    image.parentNode?.removeChild(image);
  }
  return images.length;
}

/**
 * Links keep their full address; those that lead nowhere outside of the page become text. A page
 * may say by `base` where its links start.
 */
export function resolveLinks(document: HtmlDocument, root: HtmlElement, address: string): void {
  const start = baseOf(document, address);
  for (const link of elementsNamed(root, 'A')) {
    const target = targetOf(link.getAttribute('href') ?? '', start);
    link.removeAttribute('title');
    if (target !== '' && !holdsBlocks(link)) {
      link.setAttribute('href', target);
    } else if (target === '' && !/[\p{L}\p{N}]/u.test(link.textContent)) {
      // A mark beside a heading that links to it, or an arrow back from a footnote.
      link.parentNode?.removeChild(link);
    } else {
      unwrap(link);
    }
  }
}

function baseOf(document: HtmlDocument, address: string): string {
  const root = document.documentElement;
  const base = root ? elementsNamed(root, 'BASE')[0]?.getAttribute('href') : null;
  return targetOf(base ?? '', address) || address;
}

function targetOf(href: string, start: string): string {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return '';
  const url = URL.parse(trimmed, start === '' ? undefined : start);
  return url && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : '';
}

function holdsBlocks(element: HtmlElement): boolean {
  for (const { node } of walk(element)) if (blocks.has(node.nodeName)) return true;
  return false;
}
