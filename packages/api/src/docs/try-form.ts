import { element, type PageElement } from './element.ts';

/** The part of a JSON schema that a reference shows. */
export interface ApiSchema {
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

/** Bodies by media type. */
export type ApiContent = Readonly<Record<string, { readonly schema?: ApiSchema }>>;

/** A parameter of an operation. */
export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: ApiSchema;
}

/** An operation of an OpenAPI document. */
export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly content: ApiContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: ApiContent }>
  >;
}

/** An operation with its method and path. */
export interface Call {
  readonly path: string;
  readonly method: string;
  readonly operation: ApiOperation;
}

/** Headers that pages must not set. */
const forbiddenHeaders: readonly string[] = ['accept-encoding'];

/** Returns a form that makes a call and shows the answer, once `runReference` has run. */
export function tryForm({ path, method, operation }: Call): PageElement {
  const { parameters = [], requestBody } = operation;
  const [mediaType = '', body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const fields = parameters.filter(
    ({ in: place, name }) => place !== 'header' || !forbiddenHeaders.includes(name.toLowerCase()),
  );
  return element(
    'details',
    { class: 'try' },
    element('summary', {}, 'Try it'),
    element(
      'form',
      { 'data-method': method.toUpperCase(), 'data-path': path, 'data-type': mediaType },
      fields.map(fieldOf),
      body === undefined ? [] : bodyField(mediaType, body.schema ?? {}),
      element('button', {}, `Send ${method.toUpperCase()}`),
      ' ',
      element('output'),
      element('pre', {
        class: 'answer',
        tabindex: '0',
        role: 'region',
        'aria-label': 'Answer',
        hidden: true,
      }),
    ),
  );
}

function bodyField(mediaType: string, schema: ApiSchema): PageElement {
  const [title, field] =
    mediaType === 'application/json'
      ? [
          'Body ',
          element(
            'textarea',
            { rows: '6', spellcheck: 'false', 'data-in': 'body' },
            exampleOf(schema),
          ),
        ]
      : ['File ', element('input', { type: 'file', 'data-in': 'file', name: 'file' })];
  return element('label', {}, title, field);
}

function fieldOf({ name, in: place, required = false, schema }: ApiParameter): PageElement {
  const attributes = { name, 'data-in': place, required };
  const choices = schema.type === 'boolean' ? [true, false] : schema.enum;
  const field =
    choices !== undefined && choices.length < 12
      ? element(
          'select',
          attributes,
          ['', ...choices].map((each) => element('option', {}, String(each))),
        )
      : element('input', { ...attributes, autocomplete: 'off' });
  return element('label', {}, `${name} `, field);
}

/** Returns an example of a body: that of its schema, or one with the required members. */
function exampleOf({ examples, properties = {}, required = [] }: ApiSchema): string {
  const members = Object.entries(properties).filter(
    ([name, schema]) => required.includes(name) || (name === 'sql' && schema.type === 'string'),
  );
  const example =
    examples?.[0] ??
    Object.fromEntries(members.map(([name, schema]) => [name, schema.examples?.[0] ?? '']));
  return JSON.stringify(example, null, 2);
}
