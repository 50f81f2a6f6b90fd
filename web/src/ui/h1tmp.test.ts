import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { it } from 'vitest';
import { Markdown } from './markdown.tsx';
const n = 1;
const cases: [string,string][] = [
    ['warm', 'a'],
    ['stars', '**a '.repeat(20_000/n)],
    ['stars1', '**a '.repeat(2000)],
    ['starsonly', '*'.repeat(50_000/n)],
    ['starsonly4000 x4', ('*'.repeat(3900)+'\n\n').repeat(5)],
    ['openbr4000 x5', ('['.repeat(3900)+'\n\n').repeat(5)],
    ['openbr4000 a x5', ('[a]('.repeat(3900)+'\n\n').repeat(5)],
    ['lt x5', ('<a '.repeat(3900)+'\n\n').repeat(5)],
    ['open words x5', ('**a _b `c [d '.repeat(900)+'\n\n').repeat(5)],
    ['ref x5', ('[a][b]'.repeat(1900)+'\n\n').repeat(5)],
    ['quotes', '> '.repeat(39)],
    ['quotes', ('> '.repeat(39)+'x\n').repeat(1000)],
    ['quotes', ('> '.repeat(39)+'x\n').repeat(5000)],
    ['quotes alt', (('> '.repeat(39)+'x\n\n')+'a\n\n').repeat(2500)],
    ['lists', Array.from({ length: 500/n }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n')],
    ['lists', Array.from({ length: 5000/n }, (_, n) => `${' '.repeat(2 * (n%39))}- a`).join('\n')],
    ['listsinline', '- '.repeat(20000/n)],
    ['listsinline39', ('- '.repeat(39)+'a\n').repeat(2000)],
    ['listsinline39+', ('1. '.repeat(39)+'a\n\n').repeat(2000)],
    ['ticks', '`'.repeat(50_000/n)],
    ['ticks2', Array.from({length:80/n},(_, i)=>'`'.repeat(i)+'a').join(' ')],
    ['addresses', `https://${'!'.repeat(50_000/n)}`],
    ['addresses2', 'https://'.repeat(50_000/n)],
    ['addresses3', 'http://a.b '.repeat(30_000/n)],
    ['emails', 'a@'.repeat(200_000/n)],
    ['emails', 'a@b.c '.repeat(50_000/n)],
    ['emaildots', 'a.'.repeat(200_000/n)],
    ['emaildots', 'a'.repeat(400_000/n)],
    ['www', 'www.'.repeat(100_000/n)],
    ['tables', `${'|'.repeat(20_000/n)}\n${'|-'.repeat(10_000/n)}`],
    ['tablerows', `|a|\n|-|\n${'|b|\n'.repeat(9_000/n)}`],
    ['tablecols', `${'|a'.repeat(1000/n)}|\n${'|-'.repeat(1000/n)}|\n${'|b|\n'.repeat(1000/n)}`],
    ['fn', '[^a]: x\n'.repeat(1900/n) + '[^a]'.repeat(1900/n)],
    ['fn2', '[^a]: x\n\n'.repeat(5000/n) + '\n\n[^a]'.repeat(5000/n)],
    ['html', '<!--'.repeat(3900)],
    ['lines', 'a\n'.repeat(200_000/n)],
    ['amp', '&'.repeat(3_900/n)],
    ['bs', '\\'.repeat(400_000/n)],
    ['bangs', '!'.repeat(400_000/n)],
    ['close', ']'.repeat(400_000/n)],
    ['parens', ')('.repeat(200_000/n)],
    ['hash', '# a\n'.repeat(100_000/n)],
    ['eq', 'a\n=\n'.repeat(100_000/n)],
    ['spaces', ' '.repeat(400_000/n)],
    ['spacesa', 'a' + ' '.repeat(400_000/n)+'a'],
    ['spaceslines', 'a   \n'.repeat(80_000/n)],
    ['tabs', '\t'.repeat(400_000/n)],
    ['digits', '1.\n'.repeat(100_000/n)],
    ['dashes', '-\n'.repeat(100_000/n)],
    ['_a', '_a'.repeat(3_900/n)],
    ['defs', '[a]: b\n'.repeat(3900/n)],
    ['defs', '[a]: b\n\n'.repeat(10000/n)],
    ['paras', 'Some **bold** text with [a](https://a.example) and `code`.\n\n'.repeat(1000)],
    ['book', ('It was the best of times, it was the worst of times, it was the age of wisdom. '.repeat(6)+'\n\n').repeat(800)],
];
it('times', () => {
for (const [name, text] of cases) {
  const t = performance.now(); let e = '';
  let l = 0;
  try { l = renderToStaticMarkup(createElement(Markdown, { text })).length; } catch (x) { e = String(x).slice(0,80); }
  console.log(name, text.length, l, Math.round(performance.now() - t), e);
}
}, 600000);
