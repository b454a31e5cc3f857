import { createHash } from 'node:crypto';
import {
  type ApiDocument,
  apiReference,
  element,
  type PageElement,
  referenceStyle,
  runReference,
  toHtml,
} from '@quire/api/docs';

/** Renders an OpenAPI document as one self-contained HTML page. */
export function renderDocsPage(
  document: ApiDocument,
  { isPublic }: { readonly isPublic: boolean },
): string {
  const { title, version, description } = document.info;
  const head = [
    element('h1', {}, title),
    element(
      'p',
      { class: 'dim' },
      `Version ${version} · `,
      element('a', { href: '/openapi.json' }, 'openapi.json'),
    ),
    element('p', {}, description),
    tokenField(isPublic),
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${toHtml(element('title', {}, title))}<style>${pageStyle}${referenceStyle}</style></head><body>
${toHtml(element('main', {}, apiReference(document, head)))}<script>${script}</script></body></html>`;
}

const pageStyle = `
:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#f6f7f9, #0f1218); }
main { max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.5rem 6rem; }`;

/**
 * Returns the token field. `isPublic` is true if the page was read without credentials, so that the
 * browser has none.
 */
function tokenField(isPublic: boolean): PageElement {
  const without = isPublic ? '' : '; without it, they use the credentials that opened this page';
  return element(
    'form',
    { class: 'token' },
    element(
      'label',
      {},
      'Token ',
      element('input', {
        id: 'token',
        type: 'password',
        autocomplete: 'off',
        spellcheck: 'false',
        'data-public': String(isPublic),
      }),
    ),
    element(
      'small',
      {},
      `Calls made on this page use it${without}. It is stored only in this page, and deleted when you close it.`,
    ),
  );
}

/** The only script of the page, which calls the service that served the page. */
const script = `'use strict';
const token = document.getElementById('token');
token.form.addEventListener('submit', (event) => event.preventDefault());
const base = location.pathname.replace(/\\/docs\\/?$/, '');
(${String(runReference)})(document, (address, init) => {
  const given = token.value.trim();
  if (given !== '') init.headers.authorization = 'Bearer ' + given;
  // A public page calls without credentials until it has some: the browser would ask for a password.
  const credentials = given !== '' || token.dataset.public === 'true' ? 'omit' : 'same-origin';
  return fetch(base + address, { ...init, credentials });
}, () => performance.now());
`;

/**
 * The content security policy of the page: its own script and styles, and calls to its own service.
 */
export const docsSecurityPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
