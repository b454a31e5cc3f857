export {
  type DateTimeFormat,
  type Granularity,
  parseDateTimeFormat,
  parseGranularity,
  readInFormat,
  type TimeUnit,
  writeInFormat,
} from './dates/date-time-format.ts';
export { compileExpression, type Evaluator } from './language/compile-expression.ts';
export {
  columnsOf,
  type Expression,
  type LiteralValue,
  printExpression,
} from './language/expression.ts';
export { expressionFailed, rowError } from './values/expression-error.ts';
export type {
  EvaluationContext,
  FunctionDefinition,
  Type,
  TypeName,
} from './functions/function-definition.ts';
export {
  functionFamilies,
  type FunctionFamily,
  isDeterministic,
} from './functions/function-table.ts';
export {
  type ParsedExpression,
  parseExpression,
  parseExpressionTree,
} from './language/parse-expression.ts';
export { toJson } from './functions/conversion.ts';
export {
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toFloat,
  toInt,
  toLong,
  toMap,
  toText,
  toTimestamp,
} from './values/convert.ts';
export {
  Decimal,
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
export { javaText } from './values/text.ts';
export { writeJson } from './values/json.ts';
export type { DateTimePattern, NumberLetter, PatternField } from './dates/date-time-pattern.ts';
export type { Zone } from './dates/zone.ts';
