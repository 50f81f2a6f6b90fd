/** The contents of a mail, which become its plain text and its HTML. */
export type MailText = {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A person's own words, set apart as a quote. */
  readonly quote?: string | null;
  readonly action?: { readonly label: string; readonly url: string };
  /** A file of JSON. */
  readonly attachment?: { readonly name: string; readonly content: string };
  /** The address for answers, if it is not the sender. */
  readonly replyTo?: string;
  /** Why the recipient gets this mail. */
  readonly footer: string;
};

const WIDTH = 560;
const FONT = 'font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#222';
const BUTTON =
  'display:inline-block;padding:10px 20px;border-radius:8px;background:#2b4a8b;color:#fff;' +
  'text-decoration:none';
const QUOTE = 'margin:16px 0;padding-left:12px;border-left:3px solid #ccc;white-space:pre-wrap';
const SMALL = 'margin-top:32px;font-size:13px;color:#666';

/** Plain text and simple HTML, without external content. */
export function composeMail({
  subject,
  paragraphs,
  quote,
  action,
  attachment,
  replyTo,
  footer,
}: MailText) {
  const quoted = quote
    ? quote
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n')
    : null;
  const linked = action && `${action.label}:\n${action.url}`;
  const text = [...paragraphs, quoted, linked, `-- \n${footer}`].filter(Boolean).join('\n\n');
  const html = [
    '<!doctype html><html><head><meta charset="utf-8">',
    `<title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;${FONT}"><div style="max-width:${WIDTH}px;margin:0 auto">`,
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    quote ? `<div style="${QUOTE}">${escapeHtml(quote)}</div>` : '',
    action ? `<p>${anchor(action.url, action.label, BUTTON)}</p>` : '',
    action ? `<p style="font-size:13px;word-break:break-all">${escapeHtml(action.url)}</p>` : '',
    `<p style="${SMALL}">${escapeHtml(footer)}</p></div></body></html>`,
  ].join('\n');
  return {
    subject: oneLine(subject),
    text,
    html,
    ...(replyTo ? { replyTo } : {}),
    ...(attachment ? { attachment } : {}),
  };
}

/** Prevents header injection by names that people chose. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\s]+/gu, ' ').trim();

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (c) => ENTITIES[c] ?? '');

const anchor = (url: string, label: string, style: string) =>
  `<a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a>`;
