import type { Finding } from '@quire/core/table-engine';
import { expressionDepthMax, type Expression, expressionLengthMax, depthOf } from './expression.ts';
import { ExpressionSyntaxError } from '../values/expression-error.ts';
import { ExpressionParser } from './expression-parser.ts';

/**
 * An expression with warnings about calls that fail on every row, or the reasons why the text is
 * not an expression.
 */
export type ParsedExpression =
  | {
      readonly expression: Expression;
      readonly warnings: readonly Finding[];
      readonly findings?: never;
    }
  | {
      readonly expression?: never;
      readonly warnings?: never;
      readonly findings: readonly Finding[];
    };

/**
 * Parses an expression. Never throws, and executes nothing.
 *
 * All unknown functions and calls with a wrong number of arguments are reported. A text that is not
 * an expression is reported once, at the position where parsing ended. A literal that its function
 * does not accept is a warning: Apache Pinot accepts such an expression, and fails on every row.
 *
 * @param path JSON pointer to the text in its config
 */
export function parseExpression(text: string, path = ''): ParsedExpression {
  const finding = (code: string, message: string): Finding => ({
    path,
    code,
    message,
    severity: 'error',
  });
  if (text.length > expressionLengthMax) {
    const message = `The expression has ${text.length} characters; at most ${expressionLengthMax} are allowed.`;
    return { findings: [finding('EXPRESSION_TOO_LONG', message)] };
  }
  try {
    const parser = new ExpressionParser(text);
    const expression = parser.parse();
    const faults = parser.faults.map((fault) => finding(fault.code, describe(fault, text)));
    const isWarning = ({ code }: Finding): boolean => code === 'EXPRESSION_ARGUMENT';
    if (!faults.every(isWarning)) return { findings: faults };
    if (depthOf(expression) > expressionDepthMax) {
      return {
        findings: [
          finding(
            'EXPRESSION_TOO_DEEP',
            `The expression is nested more than ${expressionDepthMax} levels deep.`,
          ),
        ],
      };
    }
    return { expression, warnings: faults.map((fault) => ({ ...fault, severity: 'warning' })) };
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    // Groovy's braces are not part of the syntax, and reporting them would hide the real reason.
    if (groovyPattern.test(text)) {
      return { findings: [finding('EXPRESSION_GROOVY', groovyRefusal)] };
    }
    return { findings: [finding(error.code, describe(error, text))] };
  }
}

/**
 * Parses a text with any function names, such as aggregations; undefined if it is not an
 * expression.
 */
export function parseExpressionTree(text: string): Expression | undefined {
  if (text.length > expressionLengthMax) return undefined;
  try {
    return new ExpressionParser(text).parse();
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return undefined;
  }
}

const groovyPattern = /\bgroovy\s*\(/i;

const groovyRefusal =
  'Groovy scripts are not supported: code in requests is never executed. ' +
  "Write the transform with the functions of FUNCTIONS.md, as in concat(first, last, ' ').";

function describe(fault: ExpressionSyntaxError, text: string): string {
  const around = text.slice(Math.max(0, fault.position - 20), fault.position + 20);
  return `Column ${fault.position + 1}: ${fault.message}, near ‘${around}’.`;
}
