import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { memoize } from '../memoize.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

interface Subnet {
  readonly family: 'ipv4' | 'ipv6';
  readonly bits: number;
  readonly addresses: BlockList;
}

const parseSubnet = memoize((given: string): Subnet => {
  const [address = '', bitsText = ''] = given.split('/');
  const family = familyOf(address);
  const bits = Number(bitsText);
  if (family === undefined || !/^\d{1,3}$/.test(bitsText) || bits > (family === 'ipv4' ? 32 : 128)) {
    throw expressionFailed(`‘${given.slice(0, 60)}’ is no subnet; expected one as 192.168.0.0/16 or 2001:db8::/32.`);
  }
  const addresses = new BlockList();
  addresses.addSubnet(address, bits, family);
  return { family, bits, addresses };
});

const subnet: Parameter<Subnet> = { type: 'subnet', read: (value, place) => parseSubnet(text.read(value, place)) };

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
}

/** Addresses of networks. */
export const networkFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'isSubnetOf',
    takes: [subnet, text],
    returns: 'boolean',
    does: 'Whether a subnet, such as `192.168.0.0/16`, has an address or a smaller subnet in it.',
    evaluate(outer, inner) {
      const { address, bits } = readInner(inner);
      const family = familyOf(address);
      if (family === undefined) throw expressionFailed(`‘${inner.slice(0, 60)}’ is no address of the internet.`);
      return family === outer.family && bits >= outer.bits && outer.addresses.check(address, family);
    },
  }),
];

function readInner(inner: string): { readonly address: string; readonly bits: number } {
  if (!inner.includes('/')) return { address: inner, bits: 128 };
  parseSubnet(inner);
  const [address = '', bits = ''] = inner.split('/');
  return { address, bits: Number(bits) };
}
