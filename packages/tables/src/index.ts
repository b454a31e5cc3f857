export type { Finding } from './finding.ts';
export type { SourceRow, SourceValue } from './row.ts';
export { compileExpression } from './expression/compile-expression.ts';
export { columnsOf, type Expression, type LiteralValue } from './expression/expression.ts';
export type { EvaluationContext, Evaluator } from './expression/function-definition.ts';
export { parseExpression, type ParsedExpression } from './expression/parse-expression.ts';
export { printExpression } from './expression/print-expression.ts';
