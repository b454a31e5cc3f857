/*
 * The names of the HTTP interface that both of its sides know: they need neither Node nor the schemas of `@quire/api`,
 * which exports them as well.
 */
export { errorCodeOfException, exceptionNumberOf } from './exception-codes.ts';
export {
  type ArrowCodec,
  arrowCodecs,
  isArrowCodec,
  type FormatsWith,
  isJoinableFormat,
  isPageFormatName,
  isTextFormat,
  type PageFormat,
  type PageFormatName,
  pageFormatNames,
  pageFormats,
} from './page-format.ts';
export { expirationHeader, pageHeaders } from './page-headers.ts';
export {
  callerPattern,
  clusterPatterns,
  isReservedSegment,
  metadataPath,
  pagePath,
  queryPath,
  routePatterns,
  settingsPattern,
  storedResultPath,
  sweepPattern,
} from './paths.ts';
