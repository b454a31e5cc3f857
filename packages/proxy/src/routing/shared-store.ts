import type { ProxyContext } from '../proxy-context.ts';

/** Whether any broker can serve every result, and whether that is certain: said by the settings, not found out. */
export function sharingOf({ options, brokers }: ProxyContext): { readonly isShared: boolean; readonly isCertain: boolean } {
  const { isStoreShared } = options;
  if (isStoreShared === 'auto') return { isShared: brokers.isShared, isCertain: false };
  return { isShared: isStoreShared, isCertain: true };
}
