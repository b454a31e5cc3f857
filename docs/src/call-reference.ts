import {
  brokerOperations,
  controllerOperations,
  type Operation,
  proxyOperations,
  restreamOperations,
  streamOperations,
  tableAdminOperations,
  taskOperations,
} from '@quire/api';
import type { GeneratedPage } from './pages.ts';

const operations: Readonly<Record<GeneratedPage['service'], Readonly<Record<string, Operation>>>> =
  {
    broker: brokerOperations,
    proxy: proxyOperations,
    controller: {
      ...controllerOperations,
      ...tableAdminOperations,
      ...streamOperations,
      ...taskOperations,
      ...restreamOperations,
    },
  };

/** The part of a schema of parameters or members that a reference shows. */
interface Shape {
  readonly properties?: Readonly<
    Record<string, { readonly description?: string; readonly type?: string }>
  >;
  readonly required?: readonly string[];
}

/** Renders every call of a service as Markdown: its description, its parameters, its responses. */
export function renderCalls({ title, service }: GeneratedPage): string {
  const calls = Object.values(operations[service]);
  const tags = new Set(calls.flatMap(({ schema }) => schema.tags));
  const parts = [...tags].map((tag) =>
    [
      `## ${tag[0]?.toUpperCase()}${tag.slice(1)}`,
      ...calls.filter(({ schema }) => schema.tags[0] === tag).map(renderCall),
    ].join('\n\n'),
  );
  return `# ${title}

Generated from the operations that the ${service} registers its routes from. A running ${service} describes them with
all schemas at \`/openapi.json\`, and at \`/docs\` with a form to try each call.

${parts.join('\n\n')}
`;
}

function renderCall({ method, path, schema }: Operation): string {
  const { summary, description, params, querystring, headers, body, response } = schema;
  const parameters = [
    ...rowsOf(params, 'path'),
    ...rowsOf(querystring, 'query'),
    ...rowsOf(headers, 'header'),
    ...rowsOf(body, 'body'),
  ];
  const responses = Object.entries(response).map(
    ([status, { description: meaning }]) => `| ${status} | ${cell(meaning)} |`,
  );
  return [
    `### ${summary}`,
    `\`${method} ${path}\``,
    text(description),
    ...(parameters.length === 0
      ? []
      : [`| parameter | in | meaning |\n| --- | --- | --- |\n${parameters.join('\n')}`]),
    `| status | meaning |\n| --- | --- |\n${responses.join('\n')}`,
  ].join('\n\n');
}

function rowsOf(schema: unknown, place: string): readonly string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Shape;
  return Object.entries(properties).map(
    ([name, { description = '' }]) =>
      `| \`${name}\` | ${place}${required.includes(name) ? ', required' : ''} | ${cell(description)} |`,
  );
}

function cell(words: string): string {
  return text(words).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Descriptions are plain text, so characters with a meaning in Markdown or HTML are escaped. */
function text(words: string): string {
  return words.replaceAll(/[<>*_[\]{}]/g, (sign) => `&#${sign.codePointAt(0)};`);
}
