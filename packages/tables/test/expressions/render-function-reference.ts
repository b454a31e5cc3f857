import type { Clock } from '@quire/core';
import { writeJson } from '../../src/expressions/values/json.ts';
import { typeOf, type Value } from '../../src/expressions/values/value.ts';
import { javaText } from '../../src/expressions/values/text.ts';
import { compileExpression } from '../../src/expressions/language/compile-expression.ts';
import {
  type FunctionDefinition,
  signatureOf,
} from '../../src/expressions/functions/function-definition.ts';
import { functionFamilies } from '../../src/expressions/functions/function-table.ts';
import { parseExpression } from '../../src/expressions/language/parse-expression.ts';

/**
 * Returns the reference of functions as Markdown, with the value of each example. FUNCTIONS.md is
 * this text, as a test checks.
 */
export function renderFunctionReference(clock: Clock): string {
  const sections = functionFamilies.map(({ title, functions }) => {
    const rows = functions.map((definition) => {
      const others = definition.names
        .slice(1)
        .map((name) => `\`${name}\``)
        .join(', ');
      const shown = `\`${signatureOf(definition)}\`${others === '' ? '' : `, ${others}`}`;
      return `| ${shown} | ${definition.returns.name} | ${escapeCell(definition.does)} | ${showExample(definition, clock)} |`;
    });
    return [
      `## ${title}`,
      '',
      '| function, other names | gives | what it does | example |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return [head, ...sections].join('\n');
}

function showExample({ example }: FunctionDefinition, clock: Clock): string {
  if (example === undefined) return '';
  const { expression } = parseExpression(example);
  if (expression === undefined) throw new TypeError(`the example ${example} is not an expression`);
  return escapeCell(
    `\`${example}\` is \`${showValue(compileExpression(expression, { clock })({}))}\``,
  );
}

function showValue(value: Value): string {
  const type = typeOf(value);
  if (type === 'BYTES' || type === 'TIMESTAMP') return javaText(value);
  return type === 'STRING' ? `'${javaText(value)}'` : writeJson(value);
}

const head = `# Functions of expressions

What transforms and filters may call: every function that Apache Pinot 1.5.1 has for ingestion, as its own classes evaluate it
(\`test/src/judge\` compares every signature). This page is generated from the code:
\`npx vitest run packages/tables -t FUNCTIONS.md --update\`.

\`\`\`sql
upper(trim(name))
concat("first name", user.surname, ' ')
price * quantity >= 100 AND customer IS NOT NULL
CASE WHEN status LIKE 'open%' THEN 1 ELSE 0 END
fromDateTime(day, 'yyyy-MM-dd HH:mm', 'Europe/Berlin')
EXTRACT(YEAR FROM at), TIMESTAMPADD(DAY, 1, at), TRIM(BOTH '0' FROM code), CAST(price AS LONG), ARRAY[1, 2]
\`\`\`

- Names of functions count without case and underscores: \`to_epoch_days\` is \`toEpochDays\`.
- From loose to tight: \`OR\`, \`AND\`, \`NOT\`, comparisons (\`= <> != < <= > >=\`, \`BETWEEN\`, \`LIKE\`, \`IS NULL\`, \`IS DISTINCT FROM\`), \`+ -\`, \`* / %\`.
- A field that a row does not have is null. A call with a null argument is null, unless the text says otherwise.
- Instants are milliseconds since 1970. Patterns of dates are those of Joda-Time.
- Groovy is refused. Nothing that is written in an expression is ever run as code.

What surprises, and is so in the table as well:

- Arithmetic and comparisons are in doubles: \`a + 1\` is 2.0 where \`a\` is 1, \`concat(a + 1, '')\` is \`2.0\`, whole numbers beyond 2^53 lose digits.
- \`=\` and \`<>\` take numbers that differ by less than 10^-7 for equal, and fail on text that is not a number.
  \`isDistinctFrom\` compares texts: \`a IS NOT DISTINCT FROM 'x'\`.
- \`AND\`, \`OR\` and \`NOT\` accept Booleans only. A JSON \`true\` is read as the text \`true\`: use \`CAST(a AS BOOLEAN)\`.
- Text where bytes are due is hex digits: \`md5(toUtf8(a))\`.
- A list where one value is due gives its first element.
- Text becomes an integer only where it is one: \`'42.9'\` fails, \`CAST('42.9' AS INT)\` is 42.
- \`jsonPathLong\` and \`jsonPathDouble\` of what is not there are the smallest long and NaN; \`splitPart\` gives the text \`null\`.
- \`CASE\` and \`coalesce\` evaluate every argument, so that one which fails fails all.
- There is no \`IN\`, \`||\`, \`IS TRUE\`, element \`a[1]\` or sign before a column: the engine refuses them in ingestion.

Where this differs from the engine, on purpose:

- Regular expressions are RE2: no look-around, no back-references, and no pattern that takes more than linear time.
- JSON paths are Jayway's, but for functions with arguments and filters that compare with null: these are errors.
- Names of zones (\`z\`) are those of Java 17. In a year in which a zone moved its standard time, a name may be that of the other half of the year.
- Geometries other than points are not written as text.
- Texts beyond 1,048,576 characters, lists beyond 100,000 elements and decimals beyond 10,000 digits are errors.
- A pattern, format or unit may differ from row to row; the engine goes on with that of the first row.
- \`sleep\` does not wait.
`;

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
