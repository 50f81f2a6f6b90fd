import { ImagesLeftOut } from '@tallyhand/contracts/features/knowledge/import-warnings';
import { describe, expect, it } from 'vitest';
import { readHtml } from './html-file.ts';

const read = (html: string, address = '') => readHtml(html, { address, charactersMax: 400_000 });
const markdownOf = async (html: string, address = '') => (await read(html, address)).markdown;

describe('HTML as Markdown', () => {
  it.each([
    ['headings', '<h1>A <em>b</em></h1><h3>C<br>d</h3><h2> </h2>', '# A *b*\n\n### C d'],
    ['emphasis', '<p><b>a</b> <i>b</i> <code>c*d</code>', '**a** *b* `c*d`'],
    ['paragraphs', '<div>a<div>b</div>c<p>d', 'a\n\nb\n\nc\n\nd'],
    ['line breaks', '<p>a<br>b<br><br>c<br></p>', 'a  \nb\n\nc'],
    ['quotes', '<blockquote><p>a<p>b</blockquote>', '> a\n> \n> b'],
    ['rules', 'a<hr>b', 'a\n\n---\n\nb'],
    ['lists', '<ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>', '- a\n  - b\n- c\n\n  d'],
    ['numbered lists', '<ol start=9><li>a<li>b<li value=3>c</ol>', '9. a\n10. b\n3. c'],
    ['details', '<details><summary>a</summary>b</details>c', 'a\n\nb\n\nc'],
    ['entities', '<p>a &amp; b &euro; &#x41;', 'a & b € A'],
  ])('has %s', async (_name, html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  it.each([
    ['<pre>a\n  b &lt;c&gt;\n</pre>', '```\na\n  b <c>\n```'],
    ['<pre><code class="hljs language-ts">a\n\n\n\nb</code></pre>', '```ts\na\n\n\n\nb\n```'],
    ['<pre class="lang-c++">a<br>b</pre>', '```c++\na\nb\n```'],
    ['<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
  ])('fences code: %s', async (html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  it('escapes only what Markdown would read as markup', async () => {
    const html =
      '<p># no heading<p>1. no item<p>- no item<p>a_b _c_ *d* `e` [f](g) [1]' +
      '<p>&lt;script&gt; 1 &lt; 2 &amp;lt; c:\\dir \\*';
    expect(await markdownOf(html)).toBe(
      [
        '\\# no heading',
        '1\\. no item',
        '\\- no item',
        'a_b \\_c\\_ \\*d\\* \\`e\\` [f\\](g) [1]',
        '\\<script> 1 < 2 \\&lt; c:\\dir \\\\\\*',
      ].join('\n\n'),
    );
  });
});

describe('tables', () => {
  const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}`).join('')}`;

  it('become Markdown tables, headed by their first row', async () => {
    const html = `<table><caption>Prices</caption><thead><tr><th>A<th>B</thead><tbody>
      ${row('<p>x|y</p>', '<ul><li>1<li>2</ul>')}${row('', 'a<br>b')}</table><p>after`;
    expect(await markdownOf(html)).toBe(
      'Prices\n\n| A | B |\n| --- | --- |\n| x\\|y | 1; 2 |\n|  | a b |\n\nafter',
    );
  });

  it('keep their columns where cells span rows or columns', async () => {
    const html = `<table>${row('a', 'b', 'c')}<tr><td rowspan=2>d<td colspan=2>e${row('f')}
      ${row('g', 'h', 'i')}</table>`;
    expect(await markdownOf(html)).toBe(
      '| a | b | c |\n| --- | --- | --- |\n| d | e |  |\n|  | f |  |\n| g | h | i |',
    );
  });

  it.each([
    ['one column', `<table>${row('a')}${row('b')}</table>`],
    ['one row', `<table>${row('a', 'b')}</table>`],
    ['a mark of its own', '<table data-as-table=9><tr data-as-table=999999999><td>a<td>b</table>'],
  ])('that only arrange a page become blocks: %s', async (_name, html) => {
    expect(await markdownOf(html)).toBe('a\n\nb');
  });

  it('inside of others become tables, the outer ones blocks', async () => {
    const inner = `<table>${row('a', 'b')}${row('c', 'd')}</table>`;
    const html = `<table>${row('<h1>T</h1>', 'x')}${row('y', inner)}</table>`;
    expect(await markdownOf(html)).toBe('# T\n\nx\n\ny\n\n| a | b |\n| --- | --- |\n| c | d |');
  });

  it('stay small whatever their cells claim to span', async () => {
    const html = `<table><tr><td colspan=1000000000 rowspan=1000000000>a<tr><td>b</table>`;
    expect((await markdownOf(html)).length).toBeLessThan(2_000);
  });
});

describe('the boilerplate of a page', () => {
  it('is left out', async () => {
    const html = `<body><header>top</header><nav>n</nav><aside>n</aside><form>n<input></form>
      <p>text</p><script>n</script><style>n</style><noscript>n</noscript><template>n</template>
      <!-- n --><svg><text>n</text></svg><iframe>n</iframe><p hidden>n</p>
      <p style="color:red; display : NONE">n</p><div role=navigation>n</div><footer>n</footer>`;
    expect(await markdownOf(html)).toBe('top\n\ntext');
  });

  it('is not a form that holds the whole page', async () => {
    expect(await markdownOf('<form><p>The whole text of it</form><form>n</form>')).toBe(
      'The whole text of it',
    );
  });

  it.each([
    ['main', '<div>menu</div><main><h1>T</h1><p>A long text of the page</main>'],
    ['a role', '<div>menu</div><div role=main><h1>T</h1><p>A long text of the page</div>'],
    ['article', '<main>m<article><h1>T</h1><p>A long text of the page</article></main>'],
  ])('is left out around %s', async (_name, html) => {
    expect(await markdownOf(html)).toBe('# T\n\nA long text of the page');
  });

  it('is kept where the main part holds little', async () => {
    const html = '<p>Most of the text of this page</p><main>little</main>';
    expect(await markdownOf(html)).toBe('Most of the text of this page\n\nlittle');
  });

  it('is an image, of which the description stays', async () => {
    const html = '<p>a <img src=x alt=" a cat "> b<img src=y><a href="https://e.com"><img></a>';
    expect(await read(html)).toEqual({
      title: '',
      markdown: 'a a cat b',
      warnings: [ImagesLeftOut({ count: 3 })],
    });
  });
});

describe('links', () => {
  it.each([
    ['https://e.com/a?b=1', '[x](https://e.com/a?b=1)'],
    ['mailto:a@e.com', '[x](mailto:a@e.com)'],
    ['other', '[x](https://site.test/docs/other)'],
    ['/top', '[x](https://site.test/top)'],
    ['//cdn.test/a', '[x](https://cdn.test/a)'],
    ['a(b) c', '[x](https://site.test/docs/a\\(b\\)%20c)'],
    ['#part', 'x'],
    ['javascript:alert(1)', 'x'],
    [' java\nscript:alert(1)', 'x'],
    ['data:text/html,x', 'x'],
    ['http://[', 'x'],
  ])('to %j', async (href, markdown) => {
    const html = `<p><a title=t href="${href}">x</a>`;
    expect(await markdownOf(html, 'https://site.test/docs/page?q#f')).toBe(markdown);
  });

  it('of a file lead nowhere when they are relative', async () => {
    expect(await markdownOf('<a href="other.html">x</a> <a href="http://e.com/">y</a>')).toBe(
      'x [y](http://e.com/)',
    );
  });

  it('start where the page says', async () => {
    const html = '<base href="/sub/"><a href="x">x</a>';
    expect(await markdownOf(html, 'https://site.test/a')).toBe('[x](https://site.test/sub/x)');
  });

  it('around blocks are left out, and so are marks beside headings', async () => {
    const html = '<a href="http://e.com"><h2>T</h2><p>p</p></a><h3>U<a href="#u">¶</a></h3>';
    expect(await markdownOf(html)).toBe('## T\n\np\n\n### U');
  });
});

describe('a hostile page', () => {
  it.each(['<div>', '<b>', '<blockquote>', '<ul><li>', '<table><tr><td>', '<i><div>'])(
    'is refused when it nests %s too deeply',
    async (tag) => {
      const html = tag.repeat(2_000_000 / tag.length);
      await expect(read(html)).rejects.toMatchObject({ name: 'ImportRefused', code: 'bomb' });
    },
  );

  it('may nest as pages do', async () => {
    expect(await markdownOf(`${'<div>'.repeat(200)}x`)).toBe('x');
  });

  it('is refused before its text is converted when it is too long', async () => {
    const html = '<p>aaaaaaaaaa'.repeat(50_000);
    await expect(read(html)).rejects.toMatchObject({
      code: 'too-long',
      sentence: 'The text has 500,000 characters; at most 400,000 are accepted.',
    });
  });

  it.each(['', '<', '<!--', '<!doctype', '<html><frameset>', '</p></body>x', '\ufffe\u0000'])(
    'may be no page at all: %j',
    async (html) => {
      await expect(read(html)).resolves.toMatchObject({ title: '' });
    },
  );
});
