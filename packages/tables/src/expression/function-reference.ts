import { functionGroups } from './function-table.ts';

/** The table of functions as Markdown; FUNCTIONS.md is this, and a test holds them together. */
export function renderFunctionReference(): string {
  const sections = functionGroups.map(({ title, functions }) => {
    const rows = functions.map(({ name, aliases = [], shows, returns, does }) => {
      const others = aliases.length === 0 ? '' : `, ${aliases.map((alias) => `\`${alias}\``).join(', ')}`;
      return `| \`${name}(${shows})\`${others} | ${returns} | ${escapeCell(does)} |`;
    });
    return [`## ${title}`, '', '| function, other names | gives | what it does |', '| --- | --- | --- |', ...rows, ''].join('\n');
  });
  return [head, ...sections].join('\n');
}

const head = `# Functions of expressions

What transforms and filters may call. This page is generated from the code: \`npx vitest run packages/tables -t FUNCTIONS.md --update\`.

\`\`\`sql
upper(trim(name))
concat("first name", user.surname, ' ') || ' said ''hello'''
price * quantity >= 100 AND NOT isNull(customer)
CASE WHEN status IN ('open', 'held') THEN 1 ELSE 0 END
fromDateTime(day, 'yyyy-MM-dd HH:mm', 'Europe/Berlin')
\`\`\`

- Names of functions count without case and underscores: \`to_epoch_days\` is \`toEpochDays\`.
- From loose to tight: \`OR\`, \`AND\`, \`NOT\`, comparisons (\`= <> != < <= > >=\`, \`IN\`, \`BETWEEN\`, \`LIKE\`, \`IS NULL\`), \`+ - ||\`, \`* / %\`, sign.
- A field that a row does not have is null. A call with a null argument is null, unless the type has a \`?\` or the text says otherwise.
- Arguments are converted: text to numbers where it is one, numbers to text, and so on; what cannot be is an error of that row alone.
- Times are epoch milliseconds (\`millis\`). Whole numbers are exact up to 64 bits. Text that grows beyond 1,048,576 characters is an error.
- Patterns of dates are those of Joda-Time and Java. JSON paths are RFC 9535. Regular expressions are RE2: no look-around, no
  back-references, and no pattern that takes more than linear time.
- Groovy is refused. Nothing that is written in an expression is ever run as code.
`;

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
