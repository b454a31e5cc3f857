import { element, type PageElement, type PageNode } from './element.ts';
import { type ApiOperation, type ApiSchema, type Call, tryForm } from './try-form.ts';

/** The part of an OpenAPI document that its reference shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
}

/**
 * Renders every call and schema of an OpenAPI document, with a form to try each call, for `/docs`
 * and the console. `runReference` adds its behaviour, `referenceStyle` its styles.
 */
export function apiReference(document: ApiDocument, head: readonly PageNode[] = []): PageElement {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ path, method, operation })),
  );
  const schemas = Object.entries(document.components.schemas);
  const ofTags = document.tags.map(({ name, description }) => ({
    name,
    description,
    own: calls.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return element(
    'div',
    { class: 'reference' },
    element(
      'nav',
      { 'aria-label': 'Calls' },
      element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter calls' }),
      ofTags.map(({ name, own }) =>
        element(
          'section',
          {},
          element('h2', {}, name),
          own.map((call) =>
            linkTo(call.operation.operationId, call.operation.summary, wordsOf(call)),
          ),
        ),
      ),
      element(
        'section',
        {},
        element('h2', {}, 'Schemas'),
        schemas.map(([name]) => linkTo(name, name, name)),
      ),
    ),
    element(
      'div',
      {},
      head,
      ofTags.map(({ description, own }) =>
        element('section', {}, element('h2', {}, description), own.map(operationArticle)),
      ),
      element('section', {}, element('h2', {}, 'Schemas'), schemas.map(schemaArticle)),
    ),
  );
}

/** Returns the words by which the filter finds a call. */
function wordsOf({ path, operation }: Call): string {
  return `${path} ${operation.summary}`;
}

function operationArticle(call: Call): PageElement {
  const { path, method, operation } = call;
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const bodySchema = Object.values(requestBody?.content ?? {})[0]?.schema;
  return element(
    'article',
    { id: operationId, 'data-words': wordsOf(call).toLowerCase() },
    element('h3', {}, summary),
    element('code', {}, element('span', { class: `method ${method}` }, method.toUpperCase()), path),
    element('p', {}, description),
    table(
      'Parameters',
      parameters.map(({ name, schema, in: place, required, description: about }) =>
        row(
          name,
          [...typeOf(schema), ` · ${place}${required === true ? ' · required' : ''}`],
          about,
        ),
      ),
    ),
    bodySchema === undefined ? [] : table('Body', memberRows(bodySchema)),
    table(
      'Responses',
      Object.entries(responses).map(([status, { content = {}, description: about }]) =>
        row(status, contentOf(content), about),
      ),
    ),
    tryForm(call),
  );
}

function schemaArticle([name, schema]: readonly [string, ApiSchema]): PageElement {
  return element(
    'article',
    { id: name, 'data-words': name.toLowerCase() },
    element('h3', {}, name),
    element('p', {}, schema.description ?? ''),
    schema.properties === undefined ? element('p', {}, typeOf(schema)) : [],
    table('Members', memberRows(schema)),
  );
}

function memberRows({ properties = {}, required = [] }: ApiSchema): PageElement[] {
  return Object.entries(properties).map(([name, member]) =>
    row(
      name,
      [...typeOf(member), required.includes(name) ? '' : ' · optional'],
      member.description,
    ),
  );
}

function contentOf(content: Readonly<Record<string, { readonly schema?: ApiSchema }>>): PageNode[] {
  return Object.entries(content).flatMap(([mediaType, { schema = {} }], index) => [
    ...(index === 0 ? [] : [element('br')]),
    ...(mediaType === 'application/json' ? typeOf(schema) : [mediaType]),
  ]);
}

/** Returns a schema's type, with links to schemas that have a name. */
function typeOf(schema: ApiSchema): readonly PageNode[] {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return [linkTo(name, name)];
  if (schema.anyOf !== undefined) {
    return schema.anyOf.flatMap((each, index) => [
      ...(index === 0 ? [] : [' or ']),
      ...typeOf(each),
    ]);
  }
  if (schema.enum !== undefined && schema.enum.length < 8) return [schema.enum.join(' | ')];
  if (schema.type === 'array') return ['array of ', ...typeOf(schema.items ?? {})];
  return [
    typeof schema.type === 'string' ? schema.type : (schema.type?.join(' or ') ?? 'anything'),
  ];
}

function table(title: string, rows: readonly PageElement[]): readonly PageNode[] {
  return rows.length === 0 ? [] : [element('h4', {}, title), element('table', {}, rows)];
}

function row(name: string, type: readonly PageNode[], description = ''): PageElement {
  return element(
    'tr',
    {},
    element('td', {}, element('code', {}, name), element('small', {}, type)),
    element('td', {}, description),
  );
}

function linkTo(id: string, text: string, words?: string): PageElement {
  const filtered = words === undefined ? {} : { 'data-words': words.toLowerCase() };
  return element('a', { href: `#${id}`, ...filtered }, text);
}
