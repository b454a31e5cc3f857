export { type DateTimeFormat, parseDateTimeFormat, readInFormat, writeInFormat } from './dates/date-time-format.ts';
export { type Granularity, parseGranularity, type TimeUnit } from './dates/time-unit.ts';
export { compileExpression, type Evaluator } from './language/compile-expression.ts';
export { columnsOf, type Expression, type LiteralValue } from './language/expression.ts';
export { expressionFailed } from './language/expression-error.ts';
export type { EvaluationContext, FunctionDefinition } from './language/function-definition.ts';
export { renderFunctionReference } from './language/function-reference.ts';
export { functionFamilies, type FunctionFamily, isDeterministic } from './language/function-table.ts';
export { type ParsedExpression, parseExpression } from './language/parse-expression.ts';
export { printExpression } from './language/print-expression.ts';
export { toJson } from './functions/conversion.ts';
export {
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toFloat,
  toInt,
  toList,
  toLong,
  toMap,
  toText,
  toTimestamp,
} from './values/convert.ts';
export { Decimal } from './values/decimal.ts';
export { javaText } from './values/java-text.ts';
export { parseJson, writeJson } from './values/json.ts';
export {
  doubleValue,
  type Fields,
  Float,
  isMap,
  type PresentValue,
  Timestamp,
  typeOf,
  type Value,
  type ValueType,
  WholeDouble,
} from './values/value.ts';
export type { DateTimePattern, PatternField, NumberLetter } from './dates/date-time-pattern.ts';
export type { Zone } from './dates/zone.ts';
export type { Type, TypeName } from './language/function-type.ts';
