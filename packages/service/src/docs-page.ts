import { renderTokenField, renderTryForm, tryScript } from './docs-try.ts';

interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
}

type ApiContent = Readonly<Record<string, { readonly schema?: ApiSchema }>>;

interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: ApiSchema;
  }[];
  readonly requestBody?: { readonly content: ApiContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: ApiContent }>
  >;
}

/** As much of an OpenAPI document as the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
}

/**
 * An OpenAPI document as one HTML page that needs nothing from elsewhere; each call has a form that
 * tries it, by the page's only script.
 */
export function renderDocsPage(
  document: ApiDocument,
  { isPublic }: { readonly isPublic: boolean },
): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return {
      links: `<h2>${escape(name)}</h2>${own.map(({ operation }) => linkTo(operation.operationId, operation.summary)).join('')}`,
      body: `<h2>${escape(description)}</h2>${own.map(({ path, method, operation }) => renderOperation(path, method, operation)).join('')}`,
    };
  });
  const schemas = Object.entries(document.components.schemas);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(document.info.title)}</title><style>${docsStyle}</style></head><body><main>
<nav>${sections.map(({ links }) => links).join('')}<h2>Schemas</h2>${schemas.map(([name]) => linkTo(name, name)).join('')}</nav>
<div><h1>${escape(document.info.title)}</h1><p class="dim">Version ${escape(document.info.version)} · <a href="/openapi.json">openapi.json</a></p>
<p>${escape(document.info.description)}</p>${renderTokenField(isPublic)}${sections.map(({ body }) => body).join('')}
<h2>Schemas</h2>${schemas.map(([name, schema]) => renderSchema(name, schema)).join('')}</div></main><script>${tryScript}</script></body></html>`;
}

function renderOperation(path: string, method: string, operation: ApiOperation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const [mediaType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const bodySchema = body?.schema;
  const responseRows = Object.entries(responses).map(([status, response]) =>
    row(status, contentOf(response.content), response.description),
  );
  return `<article id="${escape(operationId)}"><h3>${escape(summary)}</h3>
<code><span class="method ${escape(method)}">${escape(method.toUpperCase())}</span>${escape(path)}</code><p>${escape(description)}</p>
${table(
  'Parameters',
  parameters.map((it) =>
    row(
      it.name,
      `${typeOf(it.schema)} · ${it.in}${it.required === true ? ' · required' : ''}`,
      it.description,
    ),
  ),
)}
${bodySchema === undefined ? '' : table('Body', memberRows(bodySchema))}${table('Responses', responseRows)}
${renderTryForm({ path, method, parameters, body: body === undefined ? undefined : (bodySchema ?? {}), mediaType }, escape)}</article>`;
}

function renderSchema(name: string, schema: ApiSchema): string {
  const type = schema.properties === undefined ? `<p>${typeOf(schema)}</p>` : '';
  return `<article id="${escape(name)}"><h3>${escape(name)}</h3><p>${escape(schema.description ?? '')}</p>${type}${table('Members', memberRows(schema))}</article>`;
}

function memberRows({ properties = {}, required = [] }: ApiSchema): string[] {
  return Object.entries(properties).map(([name, member]) =>
    row(
      name,
      `${typeOf(member)}${required.includes(name) ? '' : ' · optional'}`,
      member.description,
    ),
  );
}

function contentOf(content: ApiContent = {}): string {
  return Object.entries(content)
    .map(([mediaType, { schema = {} }]) =>
      mediaType === 'application/json' ? typeOf(schema) : escape(mediaType),
    )
    .join('<br>');
}

/** A schema's type as HTML, with links to schemas that have a name. */
function typeOf(schema: ApiSchema): string {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return linkTo(name, name);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined && schema.enum.length < 8) return escape(schema.enum.join(' | '));
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  return escape(
    typeof schema.type === 'string' ? schema.type : (schema.type?.join(' or ') ?? 'anything'),
  );
}

function table(title: string, rows: readonly string[]): string {
  return rows.length === 0 ? '' : `<h4>${title}</h4><table>${rows.join('')}</table>`;
}

function row(name: string, typeHtml: string, description = ''): string {
  return `<tr><td><code>${escape(name)}</code><small>${typeHtml}</small></td><td>${escape(description)}</td></tr>`;
}

function linkTo(id: string, text: string): string {
  return `<a href="#${escape(id)}">${escape(text)}</a>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * The looks of the docs page: readable in light and dark, on screens of any width, and on paper.
 */
const docsStyle = `
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 16%, Canvas); --soft: color-mix(in srgb, CanvasText 5%, Canvas);
  --dim: color-mix(in srgb, CanvasText 62%, Canvas); --get: #1a7f4b; --post: #1f5fbf; --patch: #a05a00; --delete: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: CanvasText; background: Canvas; }
main { display: grid; grid-template-columns: 15rem minmax(0, 52rem); gap: 3rem; max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.5rem 6rem; }
nav { position: sticky; top: 2rem; align-self: start; max-height: calc(100vh - 4rem); overflow-y: auto; font-size: .9rem; }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
h1 { margin: 0 0 .25rem; font-size: 2rem; letter-spacing: -.02em; }
h2 { margin: 3rem 0 1rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); font-size: 1.35rem; }
nav h2 { margin: 1.25rem 0 .25rem; padding: 0; border: 0; color: var(--dim); font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; }
h4 { margin: 1.25rem 0 .35rem; color: var(--dim); font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; }
code { font: .88em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
article { margin: 0 0 1.25rem; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 1rem; }
article > code { display: block; margin: .4rem 0 .6rem; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
td { padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td:first-child { width: 14rem; }
td:first-child small { display: block; color: var(--dim); }
.token { display: grid; gap: .25rem; margin: 1.5rem 0; padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft); }
.token small { color: var(--dim); }
.try { margin-top: 1rem; }
.try summary { width: fit-content; cursor: pointer; color: var(--post); font-weight: 600; }
.try form { display: grid; gap: .6rem; margin-top: .6rem; padding: .9rem 1rem; border-radius: .4rem; background: var(--soft); }
.try form > label { display: grid; grid-template-columns: minmax(7rem, 14rem) minmax(0, 1fr); align-items: center; gap: .75rem; font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
input, select, textarea, button { min-height: 2rem; padding: .25rem .5rem; border: 1px solid color-mix(in srgb, CanvasText 45%, Canvas); border-radius: .3rem; color: CanvasText; background: Canvas; font: inherit; }
textarea { width: 100%; resize: vertical; }
.try button { justify-self: start; padding-inline: .9rem; font: 600 .92rem system-ui, sans-serif; cursor: pointer; }
.good { color: var(--get); } .bad { color: var(--delete); }
.answer { max-height: 24rem; margin: 0; padding: .75rem; overflow: auto; border: 1px solid var(--line); border-radius: .3rem; background: Canvas; font: .82rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--post); outline-offset: 2px; }
@media (prefers-color-scheme: dark) { :root { --get: #6bd39b; --post: #90adff; --patch: #f0bf5e; --delete: #ff9c93; } }
@media (max-width: 40rem) { td:first-child { width: 9rem; } .try form > label { grid-template-columns: minmax(0, 1fr); gap: .2rem; } }
.method { display: inline-block; min-width: 4.4rem; margin-right: .6rem; padding: .05rem .4rem; border-radius: .25rem; color: #fff; font-size: .78rem; font-weight: 600; text-align: center; }
.get { background: var(--get); } .post { background: var(--post); } .patch { background: var(--patch); } .delete { background: var(--delete); }
@media (prefers-color-scheme: dark) { .method { color: #10131a; } }
.dim { color: var(--dim); }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); gap: 1rem; } nav { position: static; max-height: none; } }
@media print { nav, .token, .try { display: none; } main { display: block; } article { break-inside: avoid; } }
`;
