import { expressionFailed, javaText, type Value, writeJson } from '../../expressions/index.ts';
import type { SchemaConformingPart } from '../column-spec.ts';
import type { MapOrder } from '../column-type.ts';

/** The maximum length of a key of a document, in characters: the limit of a Lucene term. */
const keyLengthMax = 32_766;

/** Matches columns of the encoder of log lines, which are not searched as text. */
const encodedSuffix = /_(?:logtype|dictionaryVars|encodedVars)$/;

/** Characters of base64, including the URL-safe ones, with any number of full stops at the end. */
const base64Pattern = /^[\w+/=-]*\.*$/;

/** Creates the documents of a row's merged text column, in Apache Pinot's order. */
export type TextMerger = (values: ReadonlyMap<string, Value>) => readonly string[];

/** Creates one document per value, `value:key`, and one more per element of a list. */
export function textMerger(config: SchemaConformingPart, order: MapOrder): TextMerger {
  const {
    jsonKeyValueSeparator: separator = ':',
    mergedTextIndexBeginOfDocAnchor: begin = '',
    mergedTextIndexEndOfDocAnchor: end = '',
    mergedTextIndexDocumentMaxLength: lengthMax = keyLengthMax,
    mergedTextIndexBinaryDocumentDetectionMinLength: binaryLengthMin = 512,
    mergedTextIndexPathToExclude: excludedPaths = [],
    mergedTextIndexPrefixToExclude: excludedPrefixes = [],
    optimizeCaseInsensitiveSearch: alsoInSmallLetters = false,
    reverseTextIndexKeyValueOrder: isValueFirst = true,
  } = config;
  const separatorLength = Buffer.byteLength(separator);

  const document = (key: string, text: string): string =>
    `${begin}${isValueFirst ? text : key}${separator}${isValueFirst ? key : text}${end}`;

  const documentsOf = (key: string, whole: string): readonly string[] => {
    if (key.length + separatorLength > keyLengthMax) return [];
    const textLengthMax = lengthMax - separatorLength - key.length;
    if (whole.length > textLengthMax && textLengthMax < 0) {
      throw expressionFailed(
        `The key ${key.slice(0, 60)} exceeds mergedTextIndexDocumentMaxLength, ${lengthMax}.`,
      );
    }
    const text = whole.slice(0, textLengthMax);
    const isSmall = !/\p{Lu}/u.test(text);
    return alsoInSmallLetters && !isSmall
      ? [document(key, text), document(key, text.toLowerCase())]
      : [document(key, text)];
  };

  const isSearched = (key: string, value: Value): boolean =>
    !excludedPaths.includes(key) &&
    !excludedPrefixes.some((prefix) => key.startsWith(prefix)) &&
    !encodedSuffix.test(key) &&
    (Array.isArray(value) || !isBinary(javaText(value), binaryLengthMin));

  return (values) =>
    order.of([...values.keys()]).flatMap((key) => {
      const value = values.get(key) ?? null;
      if (value === null || !isSearched(key, value)) return [];
      if (!Array.isArray(value)) return documentsOf(key, javaText(value));
      const elements = value as readonly Value[];
      return [value, ...elements].flatMap((each) => documentsOf(key, writeJson(each)));
    });
}

/** Reports whether a text looks like bytes in base64. */
function isBinary(text: string, lengthMin: number): boolean {
  return Buffer.byteLength(text) >= lengthMin && base64Pattern.test(text);
}
