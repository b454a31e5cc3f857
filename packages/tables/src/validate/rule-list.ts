import { schemaRules, tableRules } from './rules.ts';

/** The list of all rules in Markdown, a section for each subject: what stands in VALIDATION.md. */
export function renderRuleList(): string {
  const rules = [...schemaRules, ...tableRules];
  const subjects = [...new Set(rules.map(({ subject }) => subject))];
  const sections = subjects.map((subject) => {
    const lines = rules
      .filter((rule) => rule.subject === subject)
      .map(({ code, severity, description }) => `| \`${code}\` | ${severity} | ${description.replaceAll('|', '\\|')} |`);
    const title = `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}`;
    return `## ${title}\n\n| Code | Severity | What must hold |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return sections.join('\n');
}
