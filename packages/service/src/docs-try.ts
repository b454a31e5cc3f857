import { createHash } from 'node:crypto';

interface TriedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: TriedSchema;
}

interface TriedSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, TriedSchema>>;
  readonly required?: readonly string[];
}

/** A call as its form needs it. */
export interface TriedCall {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly TriedParameter[];
  /** What the body holds; undefined where the call has none. */
  readonly body: TriedSchema | undefined;
  /** The media type of the body: JSON, or that of a file. */
  readonly mediaType: string | undefined;
}

/** Headers that a page may not set. */
const forbiddenHeaders: readonly string[] = ['accept-encoding'];

/**
 * Where one says who calls. `isPublic`: whether the page itself was read without credentials, so
 * that the browser knows none.
 */
export function renderTokenField(isPublic: boolean): string {
  const hint = isPublic
    ? 'Calls that are tried here are made with it. It stays in this page, and is forgotten with it.'
    : 'Calls that are tried here are made with it; without it, with the credentials that opened this page. It is forgotten with the page.';
  return `<form class="token"><label>Token <input id="token" type="password" autocomplete="off" spellcheck="false" data-public="${isPublic}"></label><small>${hint}</small></form>`;
}

/**
 * A form that makes the call, and shows what is answered. Everything in it is escaped by `escape`.
 */
export function renderTryForm(
  { path, method, parameters, body, mediaType }: TriedCall,
  escape: (text: string) => string,
): string {
  const fields = parameters
    .filter(
      ({ in: place, name }) => place !== 'header' || !forbiddenHeaders.includes(name.toLowerCase()),
    )
    .map((parameter) => renderField(parameter, escape));
  const bodyField =
    body === undefined
      ? ''
      : mediaType === 'application/json'
        ? `<label>Body <textarea rows="6" spellcheck="false" data-in="body">${escape(exampleOf(body))}</textarea></label>`
        : `<label>File <input type="file" data-in="file" name="file"></label>`;
  return `<details class="try"><summary>Try it</summary><form data-method="${escape(method.toUpperCase())}" data-path="${escape(path)}" data-type="${escape(mediaType ?? '')}">
${fields.join('')}${bodyField}<button>Send ${escape(method.toUpperCase())}</button> <output></output><pre class="answer" tabindex="0" role="region" aria-label="Answer" hidden></pre></form></details>`;
}

function renderField(
  { name, in: place, required, schema }: TriedParameter,
  escape: (text: string) => string,
): string {
  const attributes = `name="${escape(name)}" data-in="${escape(place)}"${required === true ? ' required' : ''}`;
  const choices = schema.type === 'boolean' ? [true, false] : schema.enum;
  if (choices !== undefined && choices.length < 12) {
    const options = choices.map((choice) => `<option>${escape(String(choice))}</option>`);
    return `<label>${escape(name)} <select ${attributes}><option></option>${options.join('')}</select></label>`;
  }
  return `<label>${escape(name)} <input ${attributes} autocomplete="off"></label>`;
}

/** What a body may look like: the example that its schema gives, or the members that it needs. */
function exampleOf({ examples, properties = {}, required = [] }: TriedSchema): string {
  const members = Object.entries(properties).filter(
    ([name, schema]) => required.includes(name) || (name === 'sql' && schema.type === 'string'),
  );
  const example =
    examples?.[0] ??
    Object.fromEntries(members.map(([name, schema]) => [name, schema.examples?.[0] ?? '']));
  return JSON.stringify(example, null, 2);
}

/** What is shown of an answer; nobody reads more, and a whole result would fill the browser. */
const shownBytes = 262_144;

/**
 * The one script of the page. It puts together what the forms say, calls the service that the page
 * came from, and shows the answer as text: nothing that is answered becomes markup. It is text here
 * since it runs in browsers.
 */
export const tryScript = `'use strict';
const token = document.getElementById('token');
const base = location.pathname.replace(/\\/docs\\/?$/, '');
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.dataset.path !== undefined) void send(form, form.querySelector('output'), form.querySelector('.answer'));
  });
}
async function send(form, status, answer) {
  const button = form.querySelector('button');
  button.disabled = true;
  status.textContent = 'Waiting…';
  answer.hidden = true;
  const startMs = performance.now();
  try {
    const response = await fetch(...callOf(form));
    const { text, isCut } = await readStart(response);
    const ms = Math.round(performance.now() - startMs);
    status.textContent = response.status + ' ' + response.statusText + ' · ' + ms + ' ms' + (isCut ? ' · its first ${shownBytes / 1024} KiB' : '');
    status.className = response.ok ? 'good' : 'bad';
    answer.textContent = text;
    answer.hidden = text === '';
  } catch (error) {
    status.textContent = 'No answer: ' + error.message;
    status.className = 'bad';
  } finally {
    button.disabled = false;
  }
}
function callOf(form) {
  const query = new URLSearchParams();
  const given = token.value.trim();
  // A public page makes calls without credentials until it has some: or the browser would ask for a password.
  const init = { method: form.dataset.method, headers: {}, credentials: given !== '' || token.dataset.public === 'true' ? 'omit' : 'same-origin' };
  if (given !== '') init.headers.authorization = 'Bearer ' + given;
  let path = form.dataset.path;
  for (const field of form.querySelectorAll('[data-in]')) {
    const { name, value } = field;
    switch (field.dataset.in) {
      case 'path': path = path.replace('{' + name + '}', () => encodeURIComponent(value)); break;
      case 'query': if (value !== '') query.append(name, value); break;
      case 'header': if (value !== '') init.headers[name] = value; break;
      case 'body': init.body = value; init.headers['content-type'] = form.dataset.type; break;
      case 'file': if (field.files[0] !== undefined) { init.body = new FormData(); init.body.append('file', field.files[0]); } break;
    }
  }
  return [base + path + (query.size === 0 ? '' : '?' + query), init];
}
async function readStart(response) {
  const type = response.headers.get('content-type') || '';
  const chunks = [];
  let bytes = 0;
  const reader = response.body === null ? undefined : response.body.getReader();
  for (;;) {
    const { value, done } = reader === undefined ? { done: true } : await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.byteLength;
    if (bytes <= ${shownBytes}) continue;
    await reader.cancel();
    return { text: textOf(await new Blob(chunks).slice(0, ${shownBytes}).text(), type, bytes), isCut: true };
  }
  return { text: textOf(await new Blob(chunks).text(), type, bytes), isCut: false };
}
function textOf(text, type, bytes) {
  if (bytes === 0) return '';
  if (!/json|text|csv|xml/.test(type)) return bytes + ' bytes of ' + type;
  // Numbers of many digits would lose some.
  if (!type.includes('application/json') || /\\d{16}/.test(text)) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
`;

/** What the page may do: its own script and styles, and calls to where it came from. */
export const docsSecurityPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(tryScript).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
