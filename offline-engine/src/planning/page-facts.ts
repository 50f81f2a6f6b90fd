import type { PastStep } from '@tallyhand/agent-runtime/browsing/planner';
import { isQuestion } from '../answers/question.ts';
import { wordsOf } from '../words/data.ts';
import { stopWords } from '../words/language.ts';
import { fold, wordsIn } from '../words/terms.ts';
import { target } from './addresses.ts';
import { isInstruction } from './obstacles.ts';
import { headingsOf, labelOf, nodesIn, type OutlineNode, type Page } from './outline.ts';

/** What can be reported of any page, whatever it is about. */
export type Fact = 'title' | 'headings' | 'links' | 'text';

/** Reported where a goal names a page and asks for nothing in particular. */
const SUMMARY: readonly Fact[] = ['title', 'headings', 'text'];

/** Words that ask for facts, in folded text. The summary's come last: they are the vaguest. */
const ASKED: readonly (readonly [RegExp, readonly Fact[]])[] = [
  [
    /\b(?:sub)?headings?\b|\bheadlines?\b|\b(?:zwischen)?uberschrift\w*|\bencabezad\w+|\btitulares\b|\b(?:inter|sous-)titres\b|\ben-tetes?\b|\bintestazion\w+|\bcabecalhos?\b|(?<!\p{L})(?:под)?заголовк(?:и|ов|ами)(?!\p{L})|見出し|小标题|各级标题|소제목|머리글/gu,
    ['headings'],
  ],
  [
    /\btitles?\b|\b(?:seiten)?titel\w*|\btitulos?\b|\btitres?\b|\btitol[oi]\b|(?<!\p{L})(?:заголов\p{L}+|названи\p{L}+)|タイトル|表題|标题|標題|제목|타이틀/gu,
    ['title'],
  ],
  [
    /\b(?:hyper)?links?\b|\bverlinkung\w*|\benlaces?\b|\bliens?\b|\bcollegament[oi]\b|(?<!\p{L})ссыл\p{L}+|リンク|链接|連結|링크/gu,
    ['links'],
  ],
  [
    /\btexts?\b|\b(?:seiten)?inhalt\w*|\btext[oe]s?\b|\bcontents?\b|\bcontenidos?\b|\bcontenus?\b|\btest[oi]\b|\bcontenut[oi]\b|\bconteudos?\b|(?<!\p{L})(?:текст|содержани|содержимо)\p{L}*|本文|テキスト|正文|文本|内容|본문|텍스트|내용/gu,
    ['text'],
  ],
  [
    /\bsummar\w+|\boverview\b|\bgist\b|\bzusammenfass\w*|\bfass\w* .*\bzusammen\b|\buberblick\b|\bresum\w+|\bresena\b|\briassu\w+|\breconto\b|(?<!\p{L})(?:резюм|обзор|кратко|перескаж)\p{L}*|概要|要約|まとめ|摘要|总结|概括|요약/gu,
    SUMMARY,
  ],
];

/** Words of going to a page and of reporting, which say nothing of what is wanted. */
const FILLER = new Set(wordsOf('fact-filler-words'));
const DENSE_FILLER =
  /開|訪問|閲覧|移動|報告|一覧|列挙|主|全部|全|表示|読|見|教|確認|何|書|記載|次|最初|ページ|サイト|ウェブ|リスト|アクセス|打开|访问|浏览|前往|报告|告诉|列出|所有|主要|全部|阅读|读取|显示|页面|网页|网站|该页|这个|然后|接着|并|请|上|中|页|방문|열|페이지|사이트|웹|알려|보고|목록|나열|읽|보여|모든|주요|그리고|다음|무엇|뭐|말|하고|해서|주세요|줘|해|의|을|를|에|로|와|과|은|는|이|가|있|인지|고|으|서|어|요|라/gu;
const SMALL = new Set(Object.values(stopWords).flatMap((words) => [...words]));

/** A part of a goal that only says where to go. */
const GOING =
  /^\W*(?:(?:please|first|then|now|bitte|dann|zuerst|por favor|primero|luego|d'abord|puis|ensuite|per favore|prima|poi) ,?)*(?:visit|open|go to|navigate to|browse to|load|access|offne|besuche|rufe?|gehe? (?:auf|zu)|abre|abra|visita|visite|entra en|ouvre|ouvrez|visitez|va sur|allez sur|apri|vai su|acesse|открои(?:те)?|посети(?:те)?|заиди(?:те)?)\b/u;

type AskedFacts = {
  readonly facts: ReadonlySet<Fact>;
  /** What the goal asks beside them. */
  readonly rest: string;
};

/** Which facts a goal asks of the pages that it names. Its parts are given without addresses. */
export function factsAsked(parts: readonly string[], pages: number): AskedFacts {
  const facts = new Set<Fact>();
  if (pages === 0) return { facts, rest: '' };
  const rest: string[] = [];
  for (const part of parts) {
    const folded = fold(part);
    const asked = ASKED.filter(([pattern]) => folded.search(pattern) !== -1);
    if (saysMore(folded) && !(GOING.test(folded) && !isQuestion(part))) {
      rest.push(part);
    } else for (const [, wanted] of asked) for (const fact of wanted) facts.add(fact);
  }
  if (rest.length === 0 && facts.size === 0) for (const fact of SUMMARY) facts.add(fact);
  return { facts, rest: rest.join('\n') };
}

/** Whether a text holds words beside those of facts, of going somewhere and of reporting. */
function saysMore(folded: string): boolean {
  const bare = ASKED.reduce((text, [pattern]) => text.replace(pattern, ' '), folded);
  const words = wordsIn(bare).some(
    (word) => !FILLER.has(word) && !SMALL.has(word) && !isDigit(word),
  );
  const dense = bare.replace(DENSE_FILLER, '').match(DENSE_WORD);
  return words || dense !== null;
}

const isDigit = (word: string) => /^\p{N}$/u.test(word);
const DENSE_WORD = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}ー]/u;

const headingsMax = 12;
const linksMax = 15;
const textLengthMax = 600;
const valueLengthMax = 1_200;

export const FACT_LABELS = { title: 'Title', headings: 'Headings', links: 'Links', text: 'Text' };
const ANSWER_LABELS = { status: 'Answer of the server', kind: 'Kind', redirect: 'Redirected from' };
const LABELS: ReadonlySet<string> = new Set([
  ...Object.values(FACT_LABELS),
  ...Object.values(ANSWER_LABELS),
]);

/** Whether a finding is one of these facts. */
export const isFact = ({ about }: { readonly about: string }): boolean =>
  LABELS.has(about.replace(/ \(\d+\)$/, ''));

/** How the present page was opened: `input` is the requested address. */
export type Opening = Pick<PastStep, 'input' | 'output' | 'success'>;

/** An address that gave no page at all: refused, not found by name, too slow. */
export const gaveNoPage = ({ success, output }: Opening): boolean =>
  !success && !output.startsWith('Opened ');

/** The requested facts of a page, one on each line of a note. */
export function factsNote(
  facts: ReadonlySet<Fact>,
  page: Page,
  opening: Opening | undefined,
): string {
  const lines = [...answerLines(page, opening), ...factLines(facts, page)];
  return lines.map(([label, value]) => `${label}: “${value.slice(0, valueLengthMax)}”`).join('\n');
}

type Line = readonly [label: string, value: string];

function answerLines({ url }: Page, opening: Opening | undefined): Line[] {
  if (!opening) return [];
  const { input: asked, output } = opening;
  const status = /The server answered (\d{3}[^.]*)\./.exec(output)?.[1]?.trim();
  const kind = /It is no web page but a file of the type ([\w.+-]+\/[\w.+-]+)/.exec(output)?.[1];
  const isDocument = output.startsWith('Opened the text of the document');
  const isMoved = URL.parse(asked)?.href !== undefined && URL.parse(asked)?.href !== url;
  return [
    ...(isMoved ? [[ANSWER_LABELS.redirect, asked] as const] : []),
    ...(status ? [[ANSWER_LABELS.status, status] as const] : []),
    ...(kind ? [[ANSWER_LABELS.kind, `no web page but a file of the type ${kind}`] as const] : []),
    ...(isDocument ? [[ANSWER_LABELS.kind, 'no web page but a document'] as const] : []),
  ];
}

function factLines(facts: ReadonlySet<Fact>, { url, title, root, main, text }: Page): Line[] {
  const lines: Line[] = [];
  if (facts.has('title')) {
    lines.push([FACT_LABELS.title, clean(title) || 'The page has no title.']);
  }
  if (facts.has('headings')) {
    const own = headingsOf(main).map(clean).filter(Boolean);
    const all = own.length > 0 ? own : headingsOf(root).map(clean).filter(Boolean);
    lines.push(listed(FACT_LABELS.headings, all, headingsMax, 'The page has no headings.'));
  }
  if (facts.has('links')) {
    lines.push(listed(FACT_LABELS.links, linksOf(root, url), linksMax, 'The page has no links.'));
  }
  if (facts.has('text') && text !== null) {
    lines.push([FACT_LABELS.text, beginningOf(text) || 'The page shows no text.']);
  }
  return lines;
}

function listed(label: string, all: readonly string[], max: number, none: string): Line {
  if (all.length === 0) return [label, none];
  const more = all.length > max ? ` · and ${all.length - max} more` : '';
  return [`${label} (${all.length})`, all.slice(0, max).join(' · ') + more];
}

function linksOf(root: OutlineNode, page: string): string[] {
  const links = new Set<string>();
  for (const node of nodesIn(root)) {
    const leads = node.role === 'link' && node.url ? target(node.url, page) : null;
    const name = clean(labelOf(node));
    if (leads && !isInstruction(name)) links.add(`${name} <${leads}>`);
  }
  return [...links];
}

/** Never what speaks to machines instead of people. */
const clean = (text: string): string =>
  isInstruction(text) ? '' : text.replace(/\s+/g, ' ').trim();

/** The beginning of a page's text, up to the end of a sentence where there is one. */
export function beginningOf(text: string): string {
  const lines = text.split('\n').map(clean).filter(Boolean);
  const all = lines.join(' ');
  if (all.length <= textLengthMax) return all;
  const cut = all.slice(0, textLengthMax);
  const end = Math.max(...['. ', '! ', '? ', '。'].map((mark) => cut.lastIndexOf(mark)));
  return end > textLengthMax / 2 ? cut.slice(0, end + 1) : `${cut.trimEnd()}…`;
}
