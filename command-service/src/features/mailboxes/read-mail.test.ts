import { startImporter } from '@tallyhand/agent-runtime/import/importer';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedQueues } from '../../kit/queues.ts';
import { aboutMail, quoteOf, replySubject, replyText, taskInputOf } from './mail-texts.ts';
import { readMail } from './read-mail.ts';
import { judge } from './receive-mail.ts';

const importer = startImporter(sharedQueues().imports);
afterAll(() => importer[Symbol.asyncDispose]());

const OWN = 'support@shop.example';
const raw = (headers: readonly string[], body: string | Buffer = 'Hello') =>
  Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
const read = (headers: readonly string[], body?: string | Buffer) =>
  readMail(raw(headers, body), 'one', importer);
const ada = 'From: Ada <ada@mail.example>';

describe('a mail', () => {
  it('in an old charset is read as it was written', async () => {
    const latin = await read(
      [ada, 'Subject: =?iso-8859-1?Q?R=FCckgabe?=', 'Content-Type: text/plain; charset=iso-8859-1'],
      Buffer.from('Gr\u00fc\u00dfe', 'latin1'),
    );
    expect(latin).toMatchObject({ subject: 'Rückgabe', text: 'Grüße' });
    const koi = await read(
      [ada, 'Content-Type: text/plain; charset=koi8-r', 'Content-Transfer-Encoding: base64'],
      Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]).toString('base64'),
    );
    expect(koi.text).toBe('Привет');
  });

  it('in an unknown charset is read as well as possible', async () => {
    const mail = await read([ada, 'Content-Type: text/plain; charset=x-nobody'], 'Hello');
    expect(mail.text).toBe('Hello');
  });

  it('of HTML alone becomes its text', async () => {
    const html =
      '<html><head><style>p{color:red}</style><meta charset="iso-8859-1"></head>' +
      '<body><p>Grüße &amp; <b>Fragen</b></p><script>alert(1)</script></body></html>';
    const mail = await read([ada, 'Content-Type: text/html; charset=utf-8'], html);
    expect(mail.text).toContain('Grüße & **Fragen**');
    expect(mail.text).not.toMatch(/color|alert/);
  });

  it('with broken MIME is read as far as possible', async () => {
    const headers = [ada, 'Subject: Broken', 'Content-Type: multipart/mixed; boundary="never"'];
    const mail = await read(headers, '--never\r\nContent-Type: text/plain\r\n\r\nHello there');
    expect(mail).toMatchObject({ subject: 'Broken', text: 'Hello there' });
    const nothing = await readMail(Buffer.from([0xff, 0x00, 0xfe, 0x0a, 0x0a]), 'one', importer);
    expect(nothing).toMatchObject({ from: null, subject: '', messageId: null });
  });

  it('without a Message-ID is identified by its bytes', async () => {
    const [one, same, other] = [await read([ada]), await read([ada]), await read([ada], 'Other')];
    expect(one.identity).toBe(same.identity);
    expect(one.identity).not.toBe(other.identity);
    const named = await read([ada, 'Message-ID: <1@mail.example>'], 'Other');
    expect(named.identity).toBe('<1@mail.example>');
  });

  it('cannot add headers to a reply', async () => {
    const mail = await read([
      'From: =?utf-8?Q?Ada=0D=0ABcc:_eve=40mail.example?= <ada@mail.example>',
      'Subject: =?utf-8?Q?Hello=0D=0ABcc:_eve=40mail.example?=',
    ]);
    expect(`${mail.subject}${mail.from?.name}`).not.toMatch(/[\r\n]/);
  });

  it('includes attachments that are text', async () => {
    const part = (type: string, name: string, body: string) =>
      `--b\r\nContent-Type: ${type}; name="${name}"\r\n` +
      `Content-Disposition: attachment; filename="${name}"\r\n\r\n${body}\r\n`;
    const body = [
      '--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n',
      part('text/csv', 'orders.csv', 'number,total\r\n7,12'),
      part('application/octet-stream', 'notes.md', '# Notes'),
      part('application/pdf', 'bill.pdf', '%PDF'),
      part('text/plain', 'long.txt', 'x'.repeat(200_001)),
      '--b--',
    ].join('');
    const mail = await read([ada, 'Content-Type: multipart/mixed; boundary=b'], body);
    const input = taskInputOf(mail);
    expect(input).toContain('See below.');
    expect(input).toContain('Attachment "orders.csv":\nnumber,total\n7,12');
    expect(input).toContain('Attachment "notes.md":\n# Notes');
    expect(input).toContain('Attachments that were not read: bill.pdf, long.txt');
  });

  it('that is long is truncated for the task, and quoted in part', async () => {
    const mail = await read([ada, 'Subject: Long'], 'word '.repeat(20_000));
    expect(taskInputOf(mail).length).toBe(32_000);
    expect(quoteOf(mail).length).toBe(2_000);
    expect(taskInputOf(await read([], ''))).not.toBe('');
  });
});

describe('the metadata that an agent receives', () => {
  const told = async (headers: readonly string[]) => aboutMail(await read(headers)).split('\n');

  it('is the sender, the subject and the time, each on its own line', async () => {
    const date = 'Date: Sat, 21 Nov 2026 08:30:00 +0100';
    expect(await told([ada, 'Subject: =?utf-8?Q?Hi=0AFrom:_Eve?=', date])).toEqual([
      'The request came as a mail.',
      'From: Ada <ada@mail.example>',
      'Subject: Hi From: Eve',
      'Date: 2026-11-21T07:30:00.000Z',
    ]);
  });

  it('reports what the mail lacks, or what is unreadable', async () => {
    const unknown = ['From: unknown', 'Subject: (none)', 'Date: unknown'];
    expect((await told(['Date: some day'])).slice(1)).toEqual(unknown);
  });
});

describe('automatic mail', () => {
  it.each([
    ['bounce', 'From: MAILER-DAEMON@mail.example'],
    ['bounce', 'Return-Path: <>'],
    ['bounce', 'Content-Type: multipart/report; report-type=delivery-status; boundary=b'],
    ['own-address', `From: Support <Support+more@shop.example>`],
    ['auto-reply', 'Auto-Submitted: auto-replied (vacation)'],
  ])('makes no task: %s (%s)', async (reason, header) => {
    const mail = await read(header.startsWith('From') ? [header] : [ada, header]);
    expect(judge(mail, OWN)).toEqual({ makesTask: false, isAnswered: false, reason });
  });

  it.each([
    ['automatic', 'Auto-Submitted: auto-generated'],
    ['mailing-list', 'List-Id: <news.mail.example>'],
    ['bulk', 'Precedence: bulk'],
    ['automatic', 'X-Auto-Response-Suppress: OOF, AutoReply'],
    ['no-reply', 'Reply-To: no-reply@mail.example'],
    ['own-address', `Reply-To: ${OWN}`],
  ])('is not answered: %s (%s)', async (reason, header) => {
    const verdict = judge(await read([ada, header]), OWN);
    expect(verdict).toEqual({ makesTask: true, isAnswered: false, reason });
  });

  it('is not answered without a sender', async () => {
    const verdict = judge(await read(['Subject: Hello']), OWN);
    expect(verdict).toEqual({ makesTask: true, isAnswered: false, reason: 'no-sender' });
  });

  it('is distinguished from mail written by people', async () => {
    const verdict = judge(await read([ada, 'Auto-Submitted: no']), OWN);
    expect(verdict).toEqual({ makesTask: true, isAnswered: true });
  });
});

describe('a reply', () => {
  const parts = { answer: '30 days', subject: 'Returns', name: 'Ada', agent: 'Support', quote: '' };
  it('fills in its template once: text from a sender is never a template', () => {
    const answer = 'Dear {{name}}';
    expect(replyText('{{answer}} / {{ subject }} / {{other}}', { ...parts, answer })).toBe(
      'Dear {{name}} / Returns / {{other}}',
    );
  });
  it('quotes the mail that it answers', () => {
    expect(replyText('{{answer}}', { ...parts, quote: 'One\n\nTwo' })).toBe(
      '30 days\n\n> One\n>\n> Two',
    );
  });
  it('has one Re: before its subject', () => {
    expect(replySubject('Returns')).toBe('Re: Returns');
    expect(replySubject('RE: Returns')).toBe('RE: Returns');
  });
});
