import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaRules, tableRules } from '../../src/validate/validate.ts';

const listPath = join(import.meta.dirname, '../../VALIDATION.md');
const marker = '<!-- What follows is generated from the code: npm run reference -->\n';

test('VALIDATION.md is its hand-written head and the generated list of rules', async () => {
  const [head = ''] = (await readFile(listPath, 'utf8')).split(marker);
  const whole = `${head}${marker}<!-- prettier-ignore-start -->\n\n${renderRuleList()}\n<!-- prettier-ignore-end -->\n`;
  // `npm run reference` writes the file: it runs this test with --update.
  await expect(whole).toMatchFileSnapshot(listPath);
});

/**
 * Returns the list of all rules in Markdown, a section for each subject: the content of
 * VALIDATION.md.
 */
function renderRuleList(): string {
  const rules = [...schemaRules, ...tableRules];
  const subjects = [...new Set(rules.map(({ subject }) => subject))];
  const sections = subjects.map((subject) => {
    const lines = rules
      .filter((rule) => rule.subject === subject)
      .map(
        ({ code, severity, description }) =>
          `| \`${code}\` | ${severity} | ${description.replaceAll('|', '\\|')} |`,
      );
    const title = `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}`;
    return `## ${title}\n\n| Code | Severity | Rule |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return sections.join('\n');
}
