import { ImagesLeftOut } from '@tallyhand/contracts/features/knowledge/import-warnings';
import TurndownService from 'turndown';
import { escapeText } from './escape-markdown.ts';
import {
  describeImages,
  dropFurniture,
  mainPart,
  resolveLinks,
  textLength,
} from './html-cleaning.ts';
import { cellText, isMarked, prepareTables, rowText } from './html-tables.ts';
import { elementsNamed, type HtmlDocument, type HtmlElement, parseHtml } from './html-tree.ts';
import { orBroken } from './import-refused.ts';
import type { ReadDocument } from './imported.ts';
import { refuseTooLong } from './too-long.ts';
import { visibleText } from './visible-text.ts';

/**
 * The text of an HTML page as Markdown. `address` is where its relative links start, empty when
 * they lead nowhere. Throws ImportRefused: `bomb`, `too-long`, `broken-file`.
 */
export async function readHtml(
  html: string,
  { address, charactersMax }: { address: string; charactersMax: number },
): Promise<ReadDocument> {
  return orBroken('The HTML of this page could not be read.', () => {
    const document = parseHtml(html);
    const { body, documentElement } = document;
    const [titled] = documentElement ? elementsNamed(documentElement, 'TITLE') : [];
    const title = visibleText(titled?.textContent ?? '');
    if (!body) return { title, markdown: '', warnings: [] };
    dropFurniture(body);
    const root = mainPart(body);
    refuseTooLong(textLength(root), charactersMax);
    const images = describeImages(document, root);
    resolveLinks(document, root, address);
    prepareTables(document, root);
    for (const list of elementsNamed(root, 'OL')) numberItems(list);
    for (const pre of elementsNamed(root, 'PRE')) breakLines(document, pre);
    return {
      title,
      markdown: visibleText(markdownOf(root)),
      warnings: images === 0 ? [] : [ImagesLeftOut({ count: images })],
    };
  });
}

function markdownOf(root: HtmlElement): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.escape = escapeText;
  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content: string, node: HtmlElement) => {
      const words = content.replace(/\s*\n\s*/g, ' ').trim();
      return words === '' ? '' : `\n\n${'#'.repeat(Number(node.nodeName[1]))} ${words}\n\n`;
    },
  });
  service.addRule('listItem', { filter: 'li', replacement: listItem });
  service.addRule('lineBreak', { filter: 'br', replacement: lineBreak });
  service.addRule('code', { filter: 'pre', replacement: codeBlock });
  service.addRule('block', {
    filter: ['details', 'summary', 'legend', 'caption', 'search'],
    replacement: (content: string) => `\n\n${content}\n\n`,
  });
  service.addRule('emptyLink', {
    filter: (node: HtmlElement) => node.nodeName === 'A' && node.textContent.trim() === '',
    replacement: () => '',
  });
  service.addRule('table', {
    filter: (node: HtmlElement) => isMarked(node),
    replacement: (content: string, node: HtmlElement) => {
      if (node.nodeName === 'TD' || node.nodeName === 'TH') return cellText(content);
      if (node.nodeName === 'TR') return rowText(content, node);
      return node.nodeName === 'TABLE' ? `\n\n${content}\n\n` : content;
    },
  });
  return service.turndown(root);
}

function listItem(content: string, node: HtmlElement): string {
  const number = node.getAttribute('value');
  const isNumbered = node.parentNode?.nodeName === 'OL' && number !== null;
  const prefix = isNumbered ? `${number}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(prefix.length)}`);
  return prefix + text + (node.nextSibling ? '\n' : '');
}

/** Two line breaks in a row are how old pages begin a paragraph. */
function lineBreak(_content: string, node: HtmlElement): string {
  if (!node.nextSibling || node.previousSibling?.nodeName === 'BR') return '';
  return node.nextSibling.nodeName === 'BR' ? '\n\n' : '  \n';
}

function codeBlock(_content: string, node: HtmlElement): string {
  const code = node.textContent.replace(/^\n|\s+$/g, '');
  if (code.trim() === '') return '';
  const classes = [node, ...elementsNamed(node, 'CODE')].map((one) => one.getAttribute('class'));
  const language = /(?:^|\s)lang(?:uage)?-([\w+#-]{1,30})/.exec(classes.join(' '))?.[1] ?? '';
  const runs = code.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** Writes each item's number into it: the converter would count from the start for every item. */
function numberItems(list: HtmlElement): void {
  let next = numberIn(list.getAttribute('start')) ?? 1;
  for (let node = list.firstChild; node; node = node.nextSibling) {
    if (node.nodeName !== 'LI') continue;
    const item = node as HtmlElement;
    const number = numberIn(item.getAttribute('value')) ?? next;
    item.setAttribute('value', `${number}`);
    next = Math.min(number + 1, 999_999_999);
  }
}

function numberIn(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null;
}

/** Code is taken as its text, in which line breaks by element would be lost. */
function breakLines(document: HtmlDocument, pre: HtmlElement): void {
  for (const end of elementsNamed(pre, 'BR')) {
    end.parentNode?.insertBefore(document.createTextNode('\n'), end);
    end.parentNode?.removeChild(end);
  }
}
